import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, openDatabase } from "@ikigai/database";
import { type TestEngine, testEngines } from "@ikigai/database/testing";
import { createFileStore } from "@ikigai/memory";
import { type StoreSuite, testStore } from "@ikigai/memory/testing";
import {
  assetMigrations,
  createAssetStore,
  followAssets,
  openAssetSource,
  takeInAssets,
} from "@ikigai/source-postgres";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { storeMigrations } from "./migrations.ts";
import { type AssetTable, createPostgresStore } from "./postgres-store.ts";
import { takeInFiles } from "./waiting/take-in-files.ts";

const ana = { agent: "ana", conversation: "c", callId: "1", tool: "file_write" };
type SuiteOptions = Parameters<StoreSuite["open"]>[0];
type SuiteStore = Awaited<ReturnType<StoreSuite["open"]>>["store"];
const OPTIONS: SuiteOptions = {
  budget: 100,
  countTokens: (text) => text.length,
  titleOf: (messages) => messages[0]?.text ?? "",
};

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "ikigai-postgres-store-"));
});
afterEach(() => rm(base, { recursive: true, force: true }));

function openOver(database: Database, options: SuiteOptions = OPTIONS): SuiteStore {
  return createPostgresStore({
    ...options,
    database,
    migrations: [assetMigrations, storeMigrations],
    assetMount: "ikigai",
    journal: true,
    auditFile: join(base, "audit.jsonl"),
    journalFile: join(base, "journal.jsonl"),
    isAnnounced: ({ tool }) => tool === "file_write",
    openAssets(shared, hook): AssetTable {
      const services = {
        database: shared,
        countTokens: options.countTokens,
        hooks: [hook],
        program: crypto.randomUUID(),
      };
      const { read, list, update, position, prune } = createAssetStore(shared, services);
      return {
        open: (owner) => openAssetSource({ owner }, services),
        read,
        list,
        update: (path, change, by) => update(path, change as Parameters<typeof update>[1], by),
        changes: (owner, following) => followAssets(shared, owner, { ...following, program: services.program }),
        position,
        prune,
      };
    },
  });
}

async function openSuite(engine: TestEngine, options: SuiteOptions): ReturnType<StoreSuite["open"]> {
  const database = await engine.fresh();
  const opened = [openOver(database, options)];
  return {
    store: opened[0] as SuiteStore,
    async again() {
      const store = openOver(openDatabase(engine.optionsOf(database)), options);
      opened.push(store);
      return store;
    },
    async close() {
      for (const store of opened) await store.close();
    },
  };
}

describe.each(testEngines())("a store in PostgreSQL on the $name engine", (engine) => {
  afterAll(() => engine.stop());

  testStore({ test, keepsAssets: true, open: (options) => openSuite(engine, options) });

  test("takes in what plain files kept, once, and leaves what it has itself", async () => {
    const folder = join(base, "files");
    const files = createFileStore({
      ...OPTIONS,
      assetMount: "ikigai",
      folder,
      auditFile: join(base, "audit.jsonl"),
      journalFile: join(base, "journal.jsonl"),
    });
    const database = await engine.fresh({ sets: [assetMigrations, storeMigrations] });
    const store = openOver(database);
    const block = (id: string, owner: string, label: string) => ({
      record: { id, owner, label, type: "core", schema: { kind: "text" }, permission: "read_write" } as never,
      change: { at: new Date(), agent: owner, operation: "create", frontiers: "0" },
      snapshot: new TextEncoder().encode(label),
    });
    await files.blocks.create(block("b1", "ana", "plan"));
    const change = { at: new Date(), agent: "ana", operation: "edit", frontiers: "1", bytes: new Uint8Array([1]) };
    await files.blocks.commit({ id: "b1", expected: 0, set: {}, change });
    await files.blocks.share("b1", "bob", "append");
    await files.guard({ agent: "ana", label: "plan", text: "x".repeat(30) });
    await files.blocks.setView("ana", "b1", { pinned: true });
    await files.blocks.create(block("b2", "bob", "taken"));
    await store.blocks.create(block("b3", "bob", "taken"));
    const id = await files.conversations.create("ana", "/work");
    const message = (name: string) => ({ id: name, at: new Date().toISOString(), text: name });
    await files.conversations.append(id, [message("a"), message("b")]);
    await files.conversations.mark(id, "here");
    await files.conversations.append(id, [message("c")]);
    await files.conversations.rewind(id, "here");
    await files.conversations.recordManifest(id, { entries: ["a"] }, 1);

    const kept = files.assets.open("ana");
    for (const text of ["one", "two"]) await kept.write("blocks/a.md", text);
    await files.assets.change("blocks/a.md", { fields: { pinned: true, description: "mine" } }, ana);
    await kept.write("blocks/gone.md", "gone");
    await kept.remove("blocks/gone.md");
    await files.assets.open("bob").write("both.md", "of the files");
    await store.assets?.open("bob").write("both.md", "of the store");

    expect(await takeInFiles(database, folder, { takeInAssets })).toBe(true);
    expect(await takeInFiles(database, folder, { takeInAssets })).toBe(false);
    const texts = store.assets?.open("ana");
    expect(await texts?.read("blocks/a.md")).toEqual({ text: "two", version: "2" });
    expect(await store.assets?.find("ana", "blocks/a.md")).toMatchObject({ pinned: true, description: "mine" });
    const revisions: string[] = [];
    for await (const { text } of texts?.history("blocks/a.md") ?? []) revisions.push(text);
    expect(revisions).toEqual(["two", "one"]);
    expect(await texts?.read("blocks/gone.md")).toBeUndefined();
    expect(Number((await texts?.write("blocks/b.md", "new"))?.version)).toBeGreaterThan(4);
    expect((await store.assets?.open("bob").read("both.md"))?.text).toBe("of the store");
    const [found] = await store.blocks.find("ana", "plan");
    expect(found?.record).toMatchObject({ id: "b1", revision: 1 });
    expect(await store.blocks.load("b1")).toMatchObject({ snapshots: [{ revision: 0 }], updates: [{ revision: 1 }] });
    expect(await store.blocks.history("b1", 5)).toHaveLength(2);
    expect(await store.blocks.find("bob", "plan")).toMatchObject([{ shared: "append" }]);
    expect((await store.blocks.find("bob", "taken")).map(({ record }) => record.id)).toEqual(["b3"]);
    expect(await store.pins.status("ana")).toMatchObject({
      pinned: 33,
      pins: [{ uri: "block:///plan" }, { uri: "ikigai:///blocks/a.md" }],
    });
    expect((await store.conversations.messages(id)).map(({ text }) => text)).toEqual(["a", "b"]);
    await store.conversations.append(id, [message("d")]);
    await store.conversations.rewind(id, "here");
    expect(await store.conversations.messages(id)).toHaveLength(2);
    expect(await store.conversations.findManifest(id)).toMatchObject({ request: 1, manifest: { entries: ["a"] } });
    await store.close();
  });
});
