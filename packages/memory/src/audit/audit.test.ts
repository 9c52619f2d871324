import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallIntent, CallOutcome } from "@ikigai/core/host";
import { expect, test } from "vitest";
import { type AuditRow, createAudit, fileSink, readAuditFile } from "../index.ts";

const facts = { tool: "bash", agent: "ana", conversation: "c", callId: "1", verdicts: [] };
const intent: CallIntent = { ...facts, operation: "run", input: { command: "ls", password: "hunter2" } };
const outcome: CallOutcome = { ...facts, outcome: "timeout", error: "too slow" };

test("rows in a file tell what was about to happen and how it ended, without secrets", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ikigai-audit-"));
  const path = join(folder, "audit.jsonl");
  expect(await readAuditFile(path)).toEqual([]);
  const audit = createAudit(fileSink(path, { sync: true }), { clock: () => new Date(0) });
  await audit.intent(intent);
  await audit.outcome(outcome);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const rows = await readAuditFile(path);
  expect(rows.map(({ at, phase, outcome: end, operation }) => [at, phase, end, operation])).toEqual([
    ["1970-01-01T00:00:00.000Z", "intent", null, "run"],
    ["1970-01-01T00:00:00.000Z", "outcome", "timeout", null],
  ]);
  expect(JSON.parse(rows[0]?.details ?? "")).toMatchObject({ input: { command: "ls", password: "[redacted]" } });
  await rm(folder, { recursive: true });
});

test("a row has the time of the machine unless another clock is given", async () => {
  const times: string[] = [];
  const before = new Date().toISOString();
  await createAudit(async ({ at }) => void times.push(at)).intent(intent);
  expect(times[0] && times[0] >= before && times[0] <= new Date().toISOString()).toBe(true);
});

test("an audit row hides what looks like a secret, wherever it stands in a call, unless told otherwise", async () => {
  const rows: AuditRow[] = [];
  const key = `ghp_${"x1".repeat(18)}`;
  const input = {
    nested: [{ text: `before ${key} after` }, "postgres://ana:hunter2@db/x"],
    args: ["--password", "hunter2"],
    env: [{ name: "DB_PASSWORD", value: "hunter2" }],
    tokens: 5,
    text: "plain",
    none: null,
    long: "x".repeat(5_000),
  };
  const audit = createAudit(async (row) => void rows.push(row));
  await audit.intent({ ...intent, input });
  await audit.outcome({ ...outcome, error: `https://${key}@host/ did not answer` });
  const kept = rows.map(({ details }) => details).join("\n");
  expect(kept).not.toContain("hunter2");
  expect(kept).not.toContain(key.slice(0, 12));
  expect(JSON.parse(rows[0]?.details ?? "")).toMatchObject({ input: { tokens: 5, text: "plain", none: null } });
  expect(kept).toContain("… (5000 characters)");
});
