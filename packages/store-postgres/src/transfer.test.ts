import type { Database } from "@ikigai/database";
import { type TestEngine, testEngines } from "@ikigai/database/testing";
import { type AuditRow, createAudit } from "@ikigai/memory";
import { assetMigrations, assetTables, createAssetStore } from "@ikigai/source-postgres";
import { afterAll, expect, test } from "vitest";
import { createBudget, createJournal, exportStore, importStore, storeMigrations, storeTables } from "./index.ts";
import { createBlockStore } from "./block-store.ts";
import { createConversations } from "./conversations/conversations.ts";
import { createStreamPositions } from "./stream-positions.ts";
import { databaseSink, readAudit } from "./audit/audit.ts";
import { pruneStore } from "./retention.ts";

const engines = testEngines();
const [embedded, server] = engines as [TestEngine, TestEngine];
const sets = [assetMigrations, storeMigrations];
const tables = [...assetTables, ...storeTables];

afterAll(() => Promise.all(engines.map((engine) => engine.stop())));

async function linesOf(database: Database): Promise<string[]> {
  const lines: string[] = [];
  await exportStore(database, tables, (line) => void lines.push(line));
  return lines;
}

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

const MANY = Array.from({ length: 50 }, (_, index) => `part ${index}`);

/** Something in every table, with what is easily lost: bytes, many digits, microseconds, odd texts. */
async function fill(database: Database): Promise<void> {
  const store = createAssetStore(database);
  await store.write("ünï/'%_.md", 'text "quoted" \\ \u2028 🧠\n', { agent: "ana" });
  await store.write("b.md", "", { agent: "ana", reason: "why" });
  await store.share("ana", "b.md", "bob", "read_only");
  await database.query("update asset_clock set number = 9007199254740993");
  const budget = createBudget(database);
  await database.transaction((tx) =>
    budget.pin(tx, { agent: "ana", uri: "ikigai:///b.md", owner: "ana", tokens: 5, version: "2" }),
  );
  await createJournal(database).record({ uri: "file:///old", owner: "ana", agent: "ana" });
  await pruneStore(database, { journal: { rows: 0 } });
  await createStreamPositions(database).save("ana", "changes", "5");
  await createJournal(database).record({
    uri: "file:///a",
    owner: "ana",
    agent: "ana",
    after: { text: "x 🧠 long enough to be cut\n".repeat(2_000), version: "1" },
  });
  const facts = { tool: "t", agent: "ana", conversation: "c", callId: "1", verdicts: [], input: {} };
  await createAudit(databaseSink(database)).intent(facts);
  const blocks = createBlockStore(database);
  const change = { at: new Date(), agent: "ana", operation: "define", frontiers: "f" };
  const record = {
    id: "1",
    owner: "ana",
    label: "plan",
    type: "core",
    schema: { kind: "text" },
    permission: "admin",
  } as const;
  await blocks.create({ record, change, snapshot: Uint8Array.from([0, 1, 254, 255]) });
  await blocks.share("1", "bob", "append");
  await blocks.setView("bob", "1", { pinned: false });
  const conversations = createConversations<{ id: string; at: string }, { entries: string[] }>(database, {
    titleOf: () => "",
  });
  const id = await conversations.create("ana");
  await conversations.append(id, [{ id: "m", at: "2026-01-01T00:00:00.000Z" }]);
  await conversations.mark(id, "here");
  for (const last of ["a", "b"]) await conversations.recordManifest(id, { entries: [...MANY, last] }, 1);
}

test.each([
  ["embedded", "server", embedded, server],
  ["server", "embedded", server, embedded],
] as const)("everything moves from %s to %s and loses nothing", async (_, __, from, to) => {
  const source = await from.fresh({ sets });
  await fill(source);
  const lines = await linesOf(source);
  const empty = tables.filter(({ name }) => !lines.some((line) => line.startsWith(`{"table":"${name}"`)));
  expect(empty).toEqual([]);
  const target = await to.fresh({ sets });
  expect(await importStore(target, tables, each(lines))).toBe(lines.length - 2);
  expect((await linesOf(target)).toSorted()).toEqual(lines.toSorted());
  expect((await createAssetStore(target).read("ana", "ünï/'%_.md"))?.text).toContain("🧠");
  expect([...((await createBlockStore(target).load("1")).snapshots[0]?.bytes ?? [])]).toEqual([0, 1, 254, 255]);
  const conversations = createConversations<{ id: string; at: string }, { entries: string[] }>(target, {
    titleOf: () => "",
  });
  const [moved] = await conversations.list("ana");
  expect((await conversations.findManifest(moved?.id ?? ""))?.manifest.entries).toEqual([...MANY, "b"]);
  const [large] = await createJournal(target).history("file:///a", { owner: "ana" });
  expect(large?.after?.text).toBe("x 🧠 long enough to be cut\n".repeat(2_000));
  await createJournal(target).record({ uri: "file:///a", owner: "ana", agent: "ana" });
  expect(await createJournal(target).history("file:///a", { owner: "ana" })).toHaveLength(2);
});

test("a store that has something is not imported into", async () => {
  const source = await embedded.fresh({ sets });
  await fill(source);
  const lines = await linesOf(source);
  await expect(importStore(source, tables, each(lines))).rejects.toMatchObject({ code: "conflict" });
});

test("audit rows are no content: an import keeps those that are there, and takes in its own once", async () => {
  const source = await embedded.fresh({ sets });
  await fill(source);
  const lines = await linesOf(source);
  const target = await embedded.fresh({ sets });
  const [imported] = await readAudit(source);
  await databaseSink(target)(imported as AuditRow);
  const facts = { tool: "look", agent: "bob", conversation: "c", callId: "2", verdicts: [], input: {} };
  await createAudit(databaseSink(target)).intent(facts);
  expect(await importStore(target, tables, each(lines))).toBe(lines.length - 2);
  expect((await readAudit(target)).map(({ tool }) => tool).toSorted()).toEqual(["look", "t"]);
});

test("a file that was cut, changed or made by something else leaves the store empty", async () => {
  const source = await embedded.fresh({ sets });
  await fill(source);
  const lines = await linesOf(source);
  const target = await embedded.fresh({ sets });
  const bad: [string[], string][] = [
    [lines.slice(0, -1), "cut"],
    [lines.toSpliced(3, 1), "lost or changed"],
    [lines.map((line) => line.replace("quoted", "changed")), "lost or changed"],
    [["{}", ...lines.slice(1)], "format 1"],
    [[lines[0] ?? "", "not json"], "not JSON"],
    [[lines[0] ?? "", '{"table":"pg_class","row":{}}'], "no table"],
    [[lines[0] ?? "", '{"table":"asset","row":{"owner":"x"}}'], "does not take"],
    [[...lines, "{}"], "follows the last"],
  ];
  for (const [file, reason] of bad) {
    await expect(importStore(target, tables, each(file))).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining(reason),
    });
  }
  expect(await linesOf(target)).toHaveLength(2);
});
