import type { Actor } from "@ikigai/core";
import { testEngines } from "@ikigai/database/testing";
import { afterAll, describe, expect, test } from "vitest";
import type { JournalEntry } from "@ikigai/memory";
import { createJournal, storeMigrations } from "../index.ts";
import { type PostgresJournal } from "./journal.ts";
import { openMemory } from "../testing/spend.test.helper.ts";

const actor: Actor = { agent: "ana", conversation: "c1", callId: "call-1", tool: "file_edit" };
const entry: JournalEntry = {
  uri: "file:///a.md",
  owner: "ana",
  agent: "ana",
  actor,
  reason: "typo",
  before: { text: "teh\nend\n", version: "1" },
  after: { text: "the\nend\n", version: "2" },
};

describe.each(testEngines())("a journal on the $name engine", (engine) => {
  afterAll(() => engine.stop());
  const open = async (): Promise<PostgresJournal> => createJournal(await engine.fresh({ sets: [storeMigrations] }));

  test("tells who changed what into what, in which call, and why", async () => {
    const journal = await open();
    await journal.record(entry);
    const [record] = await journal.history("file:///a.md", { owner: "ana" });
    const { actor: _, ...rest } = entry;
    expect(record).toEqual({
      ...rest,
      id: expect.any(String),
      at: expect.any(Date),
      state: "done",
      tool: "file_edit",
      callId: "call-1",
      conversation: "c1",
    });
    expect(await journal.get(record?.id ?? "")).toEqual(record);
  });

  test("gives large texts back as they were, also where only a passage changed", async () => {
    const journal = await open();
    const long = "a line with some words 😀\n".repeat(1_000);
    const after = { text: `${long}in between${long}`, version: "2" };
    await journal.record({ ...entry, before: { text: `${long}${long}`, version: "1" }, after });
    const [record] = await journal.history("file:///a.md", { owner: "ana" });
    expect(record?.after).toEqual(after);
    expect(record?.before?.text).toBe(`${long}${long}`);
  });

  test("takes the same change of one call once, and two calls' changes twice", async () => {
    const journal = await open();
    await journal.record(entry);
    await journal.record(entry);
    await journal.record({ ...entry, actor: { ...actor, callId: "call-2" } });
    expect(await journal.history("file:///a.md", { owner: "ana" })).toHaveLength(2);
  });

  test("of one owner is not another's; pages go back in time", async () => {
    const journal = await open();
    for (const version of ["1", "2", "3"]) {
      await journal.record({ uri: "x:///a", owner: "ana", agent: "ana", after: { text: version, version } });
    }
    expect(await journal.history("x:///a", { owner: "bob" })).toEqual([]);
    const newest = await journal.history("x:///a", { owner: "ana", limit: 2 });
    expect(newest.map(({ after }) => after?.text)).toEqual(["3", "2"]);
    const older = await journal.history("x:///a", { owner: "ana", before: newest.at(-1)?.id ?? "" });
    expect(older.map(({ after }) => after?.text)).toEqual(["1"]);
  });

  test("keeps an announced change until it is settled", async () => {
    const journal = await open();
    const [done, failed, known] = await Promise.all([
      journal.intend({ ...entry, actor: { ...actor, callId: "a" } }),
      journal.intend({ ...entry, actor: { ...actor, callId: "b" } }),
      journal.intend({ ...entry, actor: { ...actor, callId: "c" } }),
    ]);
    expect((await journal.get(done)).state).toBe("intended");
    await journal.settle(done, { version: "9" });
    await journal.settle(failed, "failed");
    await journal.record({ ...entry, actor: { ...actor, callId: "c" } });
    await journal.settle(known, {});
    const history = await journal.history("file:///a.md", { owner: "ana" });
    expect(history.map(({ callId, after }) => [callId, after?.version]).toSorted()).toEqual([
      ["a", "9"],
      ["c", "2"],
    ]);
    expect((await journal.get(failed)).state).toBe("failed");
  });

  test("says so of an unknown entry", async () => {
    const journal = await open();
    expect(await journal.pruned("file:///a.md", { owner: "ana" })).toBeUndefined();
    for (const id of ["1", "nonsense"]) await expect(journal.get(id)).rejects.toMatchObject({ code: "not_found" });
  });

  test("has an asset's change in the same transaction", async () => {
    const { store, journal } = await openMemory(engine);
    await store.write("a.md", "1", { agent: "ana", actor, reason: "begin" });
    await store.write("a.md", "2", { agent: "ana" });
    await store.remove("a.md", { agent: "ana" });
    const history = await journal.history("ikigai:///a.md", { owner: "ana" });
    expect(history.map(({ before, after }) => [before?.text, after?.text])).toEqual([
      ["2", undefined],
      ["1", "2"],
      [undefined, "1"],
    ]);
    expect(history.at(-1)).toMatchObject({ callId: "call-1", reason: "begin" });
  });

  test("has pins and details too, and nothing where nothing changed", async () => {
    const { store, journal, budget } = await openMemory(engine);
    const ana = { agent: "ana" };
    await store.write("a.md", "1", ana);
    await store.update("a.md", { pinned: true }, ana);
    await store.update("a.md", { pinned: true }, ana);
    await store.update("a.md", { details: { archived: true, description: "old" }, pinned: false }, ana);
    await store.update("a.md", { pinned: false }, ana);
    await store.update("a.md", { details: { archived: false }, pinned: true }, ana);
    await store.remove("a.md", ana);
    const history = await journal.history("ikigai:///a.md", { owner: "ana" });
    expect(history.map(({ fields, before, after }) => [fields, before?.text, after?.text])).toEqual([
      [{ before: { description: "old", pinned: true }, after: { pinned: false } }, "1", undefined],
      [{ before: { archived: true, pinned: false }, after: { archived: false, pinned: true } }, undefined, undefined],
      [
        {
          before: { archived: false, description: "", pinned: true },
          after: { archived: true, description: "old", pinned: false },
        },
        undefined,
        undefined,
      ],
      [{ before: { pinned: false }, after: { pinned: true } }, undefined, undefined],
      [undefined, undefined, "1"],
    ]);
    expect((await budget.status("ana")).pinned).toBe(0);
  });

  test("has the pin of a shared text with who pinned it", async () => {
    const { store, journal } = await openMemory(engine);
    await store.write("plan.md", "1", { agent: "ana" });
    await store.share("ana", "plan.md", "bob", "read_only");
    await store.update("plan.md", { pinned: true }, { agent: "bob" });
    expect(await journal.history("ikigai:///plan.md", { owner: "ana" })).toHaveLength(1);
    expect(await journal.history("ikigai:///plan.md", { owner: "bob" })).toMatchObject([
      { agent: "bob", fields: { after: { pinned: true } } },
    ]);
  });
});
