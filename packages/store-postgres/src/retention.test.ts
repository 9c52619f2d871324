import { randomUUID } from "node:crypto";
import type { StoredMessage } from "@ikigai/core/host";
import { testEngines } from "@ikigai/database/testing";
import { createAudit } from "@ikigai/memory";
import { afterAll, describe, expect, test, vi } from "vitest";
import { databaseSink, readAudit } from "./audit/audit.ts";
import { createConversations } from "./conversations/conversations.ts";
import { pruneStore } from "./retention.ts";
import { createStreamPositions } from "./stream-positions.ts";
import { openMemory } from "./testing/spend.test.helper.ts";

const DAY_MS = 86_400_000;
const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS);

describe.each(testEngines())("retention on the $name engine", (engine) => {
  afterAll(() => engine.stop());

  test("keeps everything unless a limit is set", async () => {
    const { store, database } = await openMemory(engine);
    await store.write("a.md", "1", { agent: "ana" });
    const nothing = { journal: 0, audit: 0, conversations: 0 };
    expect(await pruneStore(database, {}, { now: inDays(10_000) })).toEqual(nothing);
    expect(await pruneStore(database, { journal: {} }, { now: inDays(10_000) })).toEqual(nothing);
  });

  test("lets go of old entries and of too many, and the history says so", async () => {
    const { store, database, journal } = await openMemory(engine);
    for (const text of ["1", "2", "3", "4"]) await store.write("a.md", text, { agent: "ana" });
    await store.write("b.md", "1", { agent: "ana" });
    const newest = { journal: { rows: 2 } };
    expect(await pruneStore(database, newest, { dryRun: true })).toMatchObject({ journal: 3 });
    expect(await journal.history("ikigai:///a.md", { owner: "ana" })).toHaveLength(4);
    expect(await pruneStore(database, newest)).toMatchObject({ journal: 3 });
    const left = await journal.history("ikigai:///a.md", { owner: "ana" });
    expect(left.map(({ after }) => after?.text)).toEqual(["4"]);
    const pruned = await journal.pruned("ikigai:///a.md", { owner: "ana" });
    expect(pruned).toMatchObject({ count: 3, lastId: String(Number(left[0]?.id) - 1), until: expect.any(Date) });
    expect(await journal.pruned("ikigai:///b.md", { owner: "ana" })).toBeUndefined();
    expect(await pruneStore(database, { journal: { days: 30 } }, { now: inDays(29) })).toMatchObject({ journal: 0 });
    expect(await pruneStore(database, { journal: { days: 30 } }, { now: inDays(31) })).toMatchObject({ journal: 2 });
    expect(await journal.pruned("ikigai:///a.md", { owner: "ana" })).toMatchObject({ count: 4, lastId: left[0]?.id });
  });

  test("goes by the clock of the store, so that a program whose clock is ahead removes nothing of others", async () => {
    const { store, database, journal } = await openMemory(engine);
    await store.write("a.md", "1", { agent: "ana" });
    vi.useFakeTimers({ toFake: ["Date"], now: inDays(10_000) });
    try {
      const limits = { journal: { days: 30 }, audit: { days: 30 }, conversations: { days: 30 } };
      expect(await pruneStore(database, limits)).toEqual({ journal: 0, audit: 0, conversations: 0 });
    } finally {
      vi.useRealTimers();
    }
    expect(await journal.history("ikigai:///a.md", { owner: "ana" })).toHaveLength(1);
  });

  test("removes audit rows, which nobody else can", async () => {
    const { database } = await openMemory(engine);
    const audit = createAudit(databaseSink(database));
    const call = { callId: "1", agent: "ana", conversation: "c", tool: "bash", input: {}, verdicts: [] };
    await audit.intent(call);
    await expect(database.query("delete from audit")).rejects.toThrow("never changed");
    expect(await pruneStore(database, { audit: { days: 1 } }, { now: inDays(2) })).toMatchObject({ audit: 1 });
    expect(await readAudit(database)).toEqual([]);
    await audit.intent(call);
    await expect(database.query("delete from audit")).rejects.toThrow("never changed");
  });

  test("counts the age of a conversation from its last message", async () => {
    const { database } = await openMemory(engine);
    const started = inDays(-100);
    const conversations = createConversations(database, { titleOf: () => "", clock: () => started });
    const [old, used] = [await conversations.create("ana"), await conversations.create("ana")];
    await conversations.append(old, [{ id: randomUUID(), at: started.toISOString() }]);
    await conversations.append(used, [{ id: randomUUID(), at: inDays(-1).toISOString() }]);
    await conversations.mark(old, "begin");
    for (const id of [old, used]) await conversations.recordManifest(id, { entries: [] }, 1);
    expect(await pruneStore(database, { conversations: { days: 30 } })).toMatchObject({ conversations: 1 });
    expect((await conversations.list("ana")).map(({ id }) => id)).toEqual([used]);
    for (const table of ["message", "manifest"]) {
      expect((await database.query(`select from ${table}`)).count).toBe(1);
    }
    expect(await pruneStore(database, { conversations: { rows: 0 } })).toMatchObject({ conversations: 1 });
  });

  test("goes on over messages whose text no JSON of the database takes, such as a NUL", async () => {
    const { database } = await openMemory(engine);
    const conversations = createConversations(database, { titleOf: () => "", clock: () => inDays(-100) });
    for (const text of ["a\0b", "\ud800"]) {
      const id = await conversations.create("ana");
      await conversations.append(id, [{ id: randomUUID(), at: inDays(-100).toISOString(), text } as StoredMessage]);
    }
    expect(await pruneStore(database, { conversations: { days: 30 } })).toMatchObject({ conversations: 2 });
  });

  test("the place in a stream is kept for each agent, and merged as the stream says", async () => {
    const { database } = await openMemory(engine);
    const cursors = createStreamPositions(database);
    expect(await cursors.load("ana", "changes")).toBeUndefined();
    await cursors.save("ana", "changes", "5");
    await cursors.save("ana", "changes", "3", (stored, next) => (Number(stored) > Number(next) ? stored : next));
    expect(await cursors.load("ana", "changes")).toBe("5");
    await cursors.save("ana", "changes", "4");
    expect(await cursors.load("ana", "changes")).toBe("4");
    expect(await cursors.load("bob", "changes")).toBeUndefined();
  });
});
