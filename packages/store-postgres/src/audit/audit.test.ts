import { createHash } from "node:crypto";
import { appendFile, mkdtemp, readdir, rm, stat, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallIntent, CallOutcome } from "@ikigai/core/host";
import { testEngines } from "@ikigai/database/testing";
import { afterAll, describe, expect, test } from "vitest";
import { createAudit, fileSink } from "@ikigai/memory";
import { storeMigrations } from "../index.ts";
import { databaseSink, readAudit, takeInSpool } from "./audit.ts";
import { readRefused } from "../waiting/refused-rows.ts";

const facts = { tool: "bash", agent: "ana", conversation: "c", callId: "1", verdicts: [] };
const intent: CallIntent = { ...facts, operation: "run", input: { command: "ls", password: "hunter2" } };
const outcome: CallOutcome = { ...facts, outcome: "timeout", error: "too slow" };

describe.each(testEngines())("audit rows on the $name engine", (engine) => {
  afterAll(() => engine.stop());

  test("tell what was about to happen and how it ended, without secrets", async () => {
    const database = await engine.fresh({ sets: [storeMigrations] });
    const audit = createAudit(databaseSink(database));
    await audit.intent(intent);
    await audit.outcome(outcome);
    const rows = await readAudit(database, { callId: "1" });
    expect(rows.map(({ phase, outcome: end }) => [phase, end])).toEqual([
      ["outcome", "timeout"],
      ["intent", null],
    ]);
    expect(JSON.parse(rows[1]?.details ?? "")).toMatchObject({ input: { command: "ls", password: "[redacted]" } });
    expect(JSON.stringify(rows)).not.toContain("hunter2");
    expect(await readAudit(database, { callId: "2" })).toEqual([]);
  });

  test("can be asked for by tool and by refusal, and the limit counts what was asked for", async () => {
    const database = await engine.fresh({ sets: [storeMigrations] });
    const audit = createAudit(databaseSink(database));
    await audit.outcome({ ...outcome, callId: "refused", outcome: "permission_denied" });
    for (const callId of ["a", "b", "c"]) await audit.outcome({ ...outcome, callId, tool: "grep" });
    const refused = await readAudit(database, { denied: true, limit: 1 });
    expect(refused.map(({ call_id }) => call_id)).toEqual(["refused"]);
    expect(await readAudit(database, { tool: "grep", limit: 2 })).toHaveLength(2);
    expect(await readAudit(database, { tool: "bash", limit: 2 })).toHaveLength(1);
  });

  test("are never changed", async () => {
    const database = await engine.fresh({ sets: [storeMigrations] });
    await createAudit(databaseSink(database)).intent(intent);
    await expect(database.query("update audit set tool = 'x'")).rejects.toThrow("never changed");
    await expect(database.query("delete from audit")).rejects.toThrow("never changed");
    expect(await readAudit(database)).toHaveLength(1);
  });

  test("of a command that needs no store wait in a file, and are taken in once", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ikigai-spool-"));
    const spool = join(folder, "audit.jsonl");
    const audit = createAudit(fileSink(spool));
    await audit.intent(intent);
    await audit.outcome(outcome);
    expect((await stat(spool)).mode & 0o777).toBe(0o600);
    await appendFile(spool, '{"id":"torn');
    const database = await engine.fresh({ sets: [storeMigrations] });
    expect(await Promise.all([takeInSpool(database, spool), takeInSpool(database, spool)])).toContain(2);
    expect(await readAudit(database)).toHaveLength(2);
    for (const name of await readdir(folder)) await utimes(join(folder, name), 0, 0);
    expect(await takeInSpool(database, spool)).toBe(2);
    expect(await readAudit(database)).toHaveLength(2);
    expect(await readdir(folder)).toEqual([]);
    expect(await takeInSpool(database, spool)).toBe(0);
    await rm(folder, { recursive: true });
  });

  test.each([
    ["a NUL", "x\0y", String.raw`x\u0000y`],
    ["half of a surrogate pair", "x\ud800y", String.raw`x\ud800y`],
    ["8 kB that no index takes", unlike(9_000), undefined],
  ])("with %s in names and ids are stored, also when a file of an earlier version has them", async (_, odd, shown) => {
    const database = await engine.fresh({ sets: [storeMigrations] });
    const names = { callId: odd, tool: odd, conversation: odd, agent: odd };
    await createAudit(databaseSink(database)).intent({ ...intent, ...names, operation: odd });
    const [stored] = await readAudit(database);
    if (shown !== undefined) expect(stored).toMatchObject({ call_id: shown, tool: shown, operation: shown });
    expect(stored?.call_id.length).toBeLessThanOrEqual(200);

    const folder = await mkdtemp(join(tmpdir(), "ikigai-spool-"));
    const spool = join(folder, "audit.jsonl");
    const id = "00000000-0000-4000-8000-000000000001";
    const old = { id, at: new Date(0).toISOString(), phase: "outcome", agent: odd, conversation: odd };
    await appendFile(
      spool,
      `${JSON.stringify({ ...old, call_id: odd, tool: odd, outcome: "success", details: "{}" })}\n`,
    );
    expect(await takeInSpool(database, spool)).toBe(1);
    expect(await readRefused(spool)).toBeUndefined();
    expect((await readAudit(database)).map(({ call_id }) => call_id)).toEqual([stored?.call_id, stored?.call_id]);
    await rm(folder, { recursive: true });
  });

  test("that the store refuses are set aside once, and those beside them are taken in", async () => {
    const database = await engine.fresh({ sets: [storeMigrations] });
    const folder = await mkdtemp(join(tmpdir(), "ikigai-spool-"));
    const spool = join(folder, "audit.jsonl");
    const audit = createAudit(fileSink(spool));
    await audit.intent(intent);
    await appendFile(spool, `${JSON.stringify({ id: "no uuid", at: "never", phase: "intent", tool: "x" })}\n`);
    await audit.outcome(outcome);
    const refused: unknown[] = [];
    const options = { onRefused: (error: unknown) => void refused.push(error) };
    await takeInSpool(database, spool, options);
    await takeInSpool(database, spool, options);
    expect((await readAudit(database)).map(({ phase }) => phase)).toEqual(["outcome", "intent"]);
    expect(refused).toHaveLength(2);
    expect(await readRefused(spool)).toMatchObject({ file: `${spool}.refused`, rows: 1 });
    expect((await stat(`${spool}.refused`)).mode & 0o777).toBe(0o600);
    await rm(folder, { recursive: true });
  });

  test("are not set aside while the store cannot be used", async () => {
    const database = await engine.fresh({ sets: [storeMigrations] });
    const folder = await mkdtemp(join(tmpdir(), "ikigai-spool-"));
    const spool = join(folder, "audit.jsonl");
    await createAudit(fileSink(spool)).intent(intent);
    await database.query("alter table audit rename to away");
    await expect(takeInSpool(database, spool)).rejects.toThrow("audit");
    await database.query("alter table away rename to audit");
    expect(await readRefused(spool)).toBeUndefined();
    expect(await takeInSpool(database, spool)).toBe(1);
    expect(await readAudit(database)).toHaveLength(1);
    await rm(folder, { recursive: true });
  });
});

/** Text that does not compress, so that no index takes it whole. */
function unlike(length: number): string {
  let text = "";
  for (let n = 0; text.length < length; n++) text += createHash("sha256").update(String(n)).digest("hex");
  return text.slice(0, length);
}
