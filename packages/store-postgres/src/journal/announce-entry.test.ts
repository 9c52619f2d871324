import { testEngines } from "@ikigai/database/testing";
import type { AuditRow, JournalEntry } from "@ikigai/memory";
import { afterAll, describe, expect, test } from "vitest";
import { createJournal, storeMigrations } from "../index.ts";
import { readAudit } from "../audit/audit.ts";
import { announceEntry } from "./journal.ts";

const row: AuditRow = {
  id: "6f6f1f57-5a05-4f5c-9f39-0d3b9a3a0f10",
  at: "2026-01-02T03:04:05.678Z",
  phase: "intent",
  call_id: "call-1",
  agent: "ana",
  conversation: "c1",
  tool: "file_edit",
  operation: null,
  outcome: null,
  details: '{"input":{"path":"a.md"}}',
};
const entry: JournalEntry = {
  uri: "file:///a.md",
  owner: "ana",
  agent: "ana",
  actor: { agent: "ana", conversation: "c1", callId: "call-1", tool: "file_edit" },
  before: { text: "old", version: "1" },
  after: { text: "new", version: "" },
};

describe.each(testEngines())("an announced act on the $name engine", (engine) => {
  afterAll(() => engine.stop());

  test("is in the audit and in the journal, and is settled like any change", async () => {
    const database = await engine.fresh({ sets: [storeMigrations] });
    const journal = createJournal(database);
    const id = await announceEntry(database, entry, row);
    expect(await readAudit(database)).toEqual([row]);
    expect(await journal.history(entry.uri, { owner: "ana" })).toMatchObject([{ id, state: "intended" }]);
    await journal.settle(id, { version: "2" });
    expect(await journal.ofCall("call-1")).toMatchObject([{ id, state: "done", after: { text: "new", version: "2" } }]);
  });

  test("is in neither when one of them cannot be stored", async () => {
    const database = await engine.fresh({ sets: [storeMigrations] });
    const broken = { ...entry, owner: undefined as unknown as string };
    await expect(announceEntry(database, broken, row)).rejects.toMatchObject({ code: expect.any(String) });
    await expect(announceEntry(database, entry, { ...row, at: "never" })).rejects.toMatchObject({
      code: expect.any(String),
    });
    expect(await readAudit(database)).toEqual([]);
    expect(await createJournal(database).history(entry.uri, { owner: "ana" })).toEqual([]);
  });

  test("whose row is known already is announced all the same", async () => {
    const database = await engine.fresh({ sets: [storeMigrations] });
    await announceEntry(database, entry, row);
    await announceEntry(database, entry, row);
    expect(await readAudit(database)).toHaveLength(1);
    expect(await createJournal(database).history(entry.uri, { owner: "ana" })).toHaveLength(2);
  });
});
