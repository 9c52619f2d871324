import { appendFile, mkdtemp, readdir, rm, stat, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallIntent, CallOutcome } from "@ikigai/core";
import { testEngines } from "@ikigai/database/testing";
import { afterAll, describe, expect, test } from "vitest";
import { createAudit, fileSink } from "@ikigai/memory";
import { databaseSink, readAudit, storeMigrations, takeInSpool } from "./index.ts";

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
    expect(JSON.parse(rows[1]?.details ?? "")).toMatchObject({ input: { command: "ls", password: "[hidden]" } });
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
});
