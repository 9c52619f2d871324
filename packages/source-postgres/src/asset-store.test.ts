import { randomBytes } from "node:crypto";
import { IkigaiError, parseAddress } from "@ikigai/core";
import { type Database, openDatabase } from "@ikigai/database";
import { testEngines } from "@ikigai/database/testing";
import { assert, asyncProperty, string } from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { afterPrefix } from "./after-prefix.ts";
import { type AssetHook, type AssetStore, assetMigrations, createAssetStore } from "./index.ts";
import { type Asset, type AssetChange, type AssetInfo } from "./asset.ts";
import { type AssetRevision } from "./revisions.ts";

const ana = { agent: "ana" };

async function pathsOf(store: AssetStore, agent: string, prefix = "", archived = false): Promise<string[]> {
  const found: string[] = [];
  for await (const { path } of store.list(agent, prefix, { archived })) found.push(path);
  return found;
}

async function statesOf(store: AssetStore, agent: string, path: string): Promise<AssetRevision[]> {
  const states: AssetRevision[] = [];
  for await (const state of store.history(agent, path)) states.push(state);
  return states;
}

async function infoOf(store: AssetStore, agent: string, path: string): Promise<AssetInfo | undefined> {
  for await (const info of store.list(agent, path, { archived: true })) if (info.path === path) return info;
  return undefined;
}

describe.each(testEngines())("assets on the $name engine", (engine) => {
  afterAll(() => engine.stop());
  const fresh = (): Promise<Database> => engine.fresh({ sets: [assetMigrations] });

  describe("names", () => {
    test.each([
      ["quotes and SQL", "'); DROP TABLE asset; --"],
      ["a percent sign", "100%.md"],
      ["an underscore", "a_b.md"],
      ["a decomposed accent", "cafe\u0301.md"],
      ["a composed accent", "caf\u00e9.md"],
      ["1,000 characters", "x".repeat(1_000)],
      ["percent-encoded dots", "%2e%2e/x.md"],
    ])("%s is taken as it is written", async (_, path) => {
      const store = createAssetStore(await fresh());
      await store.write(path, "text", ana);
      expect(await pathsOf(store, "ana")).toEqual([path]);
      expect((await store.read("ana", path))?.text).toBe("text");
      await expect(store.write(path, "twin", { ...ana, expected: null })).rejects.toMatchObject({
        code: "conflict",
      });
    });

    test.each([
      ["1,000 characters of four bytes", "🧠".repeat(1_000)],
      ["nothing", ""],
      ["a NUL", "a\0b"],
      ["half of a pair", "a\ud83eb"],
    ])("%s is refused", async (_, path) => {
      const store = createAssetStore(await fresh());
      await expect(store.write(path, "text", ana)).rejects.toMatchObject({ code: "invalid_input" });
      expect(await pathsOf(store, "ana")).toEqual([]);
    });

    test("every name that is taken is listed as itself, found by any prefix of itself and by no other's", async () => {
      const store = createAssetStore(await fresh());
      await assert(
        asyncProperty(string({ unit: "grapheme", minLength: 1, maxLength: 12 }), async (name) => {
          const stored = await store.write(name, name, ana).catch((error: unknown) => error);
          if (IkigaiError.is(stored, "invalid_input")) return;
          expect(await pathsOf(store, "ana", name)).toContain(name);
          for (const path of await pathsOf(store, "ana", name)) expect(path.startsWith(name)).toBe(true);
        }),
        { numRuns: 30 },
      );
    });
  });

  test("keep what is known of them", async () => {
    const store = createAssetStore(await fresh(), { countTokens: (text) => text.split(" ").length });
    await store.write("skills/ddd.md", "one two three", ana);
    const made = await infoOf(store, "ana", "skills/ddd.md");
    expect(made?.createdAt).toEqual(made?.updatedAt);
    await store.update("skills/ddd.md", { details: { description: "Domain-driven design" } }, ana);
    const info = (await infoOf(store, "ana", "skills/ddd.md")) as AssetInfo;
    expect(info).toMatchObject({ owner: "ana", category: "skill", tokens: 3, bytes: 13, readOnly: false });
    expect(info.version).toBe(made?.version);
    await store.write("skills/ddd.md", "one", ana);
    const later = await infoOf(store, "ana", "skills/ddd.md");
    expect(later).toMatchObject({ tokens: 1, description: "Domain-driven design", createdAt: info.createdAt });
    expect(later?.updatedAt.getTime()).toBeGreaterThanOrEqual(info.updatedAt.getTime());
    await store.write("prefs/tone.md", "calm", ana);
    await store.write("blocks/x.md", "x", ana);
    expect((await infoOf(store, "ana", "prefs/tone.md"))?.category).toBe("preference");
    expect((await infoOf(store, "ana", "blocks/x.md"))?.category).toBe("block");
    await expect(store.update("nothing", {}, ana)).rejects.toMatchObject({ code: "not_found" });
  });

  test("that are read-only refuse changes; archived ones hide from lists until they are written", async () => {
    const store = createAssetStore(await fresh());
    await store.write("a.md", "text", ana);
    await store.update("a.md", { details: { readOnly: true } }, ana);
    await expect(store.write("a.md", "new", ana)).rejects.toMatchObject({ code: "permission_denied" });
    await expect(store.remove("a.md", ana)).rejects.toMatchObject({ code: "permission_denied" });
    const describe = { details: { description: "new" } };
    await expect(store.update("a.md", describe, ana)).rejects.toMatchObject({ code: "permission_denied" });
    await store.update("a.md", { details: { readOnly: false, archived: true } }, ana);
    expect(await pathsOf(store, "ana")).toEqual([]);
    expect(await pathsOf(store, "ana", "", true)).toEqual(["a.md"]);
    expect((await store.read("ana", "a.md"))?.text).toBe("text");
    await store.write("a.md", "new", ana);
    expect(await pathsOf(store, "ana")).toEqual(["a.md"]);
  });

  test("change text and details in one step, and say what each side was", async () => {
    const changes: AssetChange[] = [];
    const hook: AssetHook = async (_, change) => void changes.push(change);
    const store = createAssetStore(await fresh(), { hooks: [hook] });
    await store.update("a.md", { text: "one", details: { description: "first" }, pinned: true }, ana);
    expect(changes[0]).toMatchObject({
      details: { before: { description: "" }, after: { description: "first" } },
      pinned: true,
    });
    const { version } = (await store.read("ana", "a.md")) as Asset;
    const stale = store.update("a.md", { details: { archived: true } }, { ...ana, expected: "99" });
    await expect(stale).rejects.toMatchObject({ code: "conflict" });
    await store.update("a.md", { details: { archived: true, category: "skill" } }, { ...ana, expected: version });
    expect(changes[1]).toMatchObject({ before: { version }, after: { version } });
    await store.update("a.md", { text: "two", details: { archived: true } }, ana);
    expect(await store.read("ana", "a.md")).toMatchObject({ text: "two", archived: true });
    await store.write("a.md", "three", ana);
    expect(changes[3]?.details).toEqual({ before: { archived: true }, after: { archived: false } });
    await store.remove("a.md", ana);
    expect(changes[4]?.details?.before).toEqual({ description: "first", category: "skill" });
    await store.write("plan.md", "of ana", ana);
    await store.share("ana", "plan.md", "bob", "admin");
    const describe = store.update("plan.md", { details: { description: "mine" } }, { agent: "bob" });
    await expect(describe).rejects.toMatchObject({ code: "permission_denied" });
    const both = store.update("plan.md", { text: "x", details: { description: "mine" } }, { agent: "bob" });
    await expect(both).rejects.toMatchObject({ code: "permission_denied" });
  });

  test("of one agent are not seen by another, unless they are shared", async () => {
    const store = createAssetStore(await fresh());
    await store.write("secret.md", "of ana", ana);
    await store.write("plan.md", "of ana", ana);
    expect(await store.read("bob", "plan.md")).toBeUndefined();
    expect(await pathsOf(store, "bob")).toEqual([]);
    await expect(store.remove("plan.md", { agent: "bob" })).rejects.toMatchObject({ code: "not_found" });
    await store.share("ana", "plan.md", "bob", "read_only");
    expect(await store.read("bob", "plan.md")).toMatchObject({ text: "of ana", shared: "read_only" });
    expect(await pathsOf(store, "bob")).toEqual(["plan.md"]);
    const denied = { code: "permission_denied" };
    await expect(store.write("plan.md", "by bob", { agent: "bob" })).rejects.toMatchObject(denied);
    await store.share("ana", "plan.md", "bob", "read_write");
    await store.write("plan.md", "by bob", { agent: "bob" });
    expect((await store.read("ana", "plan.md"))?.text).toBe("by bob");
    await expect(store.remove("plan.md", { agent: "bob" })).rejects.toMatchObject(denied);
    await store.share("ana", "plan.md", "bob", undefined);
    expect(await store.read("bob", "plan.md")).toBeUndefined();
    await expect(store.share("ana", "none.md", "bob", "admin")).rejects.toMatchObject({ code: "not_found" });
    await expect(store.share("ana", "plan.md", "ana", "admin")).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("of the same name: the own one comes first, and two shared ones are ambiguous", async () => {
    const store = createAssetStore(await fresh());
    for (const agent of ["ana", "cid"]) {
      await store.write("plan.md", `of ${agent}`, { agent });
      await store.share(agent, "plan.md", "bob", "read_only");
    }
    await expect(store.read("bob", "plan.md")).rejects.toMatchObject({ code: "ambiguous" });
    expect(await pathsOf(store, "bob")).toEqual(["plan.md"]);
    expect((await store.read("ana", "plan.md"))?.text).toBe("of ana");
  });

  test("are listed page by page, without a gap", async () => {
    const database = await fresh();
    const store = createAssetStore(database);
    await database.query(
      `insert into asset (owner, path, content, version, tokens, bytes, category, created_at, updated_at)
       select 'ana', 'n/' || lpad(n::text, 5, '0'), '', n, 0, 0, 'block', now(), now() from generate_series(1, 1203) n`,
    );
    const paths = await pathsOf(store, "ana", "n/");
    expect(paths).toHaveLength(1_203);
    expect(paths).toEqual(paths.toSorted());
  });

  test("and a hook that refuses leave nothing behind", async () => {
    const database = await fresh();
    const refuse: AssetHook = async (tx, { path }) => {
      await tx.query("insert into asset_share values ('x', 'x', 'x', 'admin')");
      if (path === "big.md") throw new IkigaiError("over_budget", "too big");
    };
    const store = createAssetStore(database, { hooks: [refuse] });
    await expect(store.write("big.md", "text", ana)).rejects.toMatchObject({ code: "over_budget" });
    expect(await store.read("ana", "big.md")).toBeUndefined();
    expect((await database.query("select from asset_revision")).count).toBe(0);
    expect((await database.query("select from asset_share")).count).toBe(0);
  });

  test("tell a hook who changed what into what, and why", async () => {
    const seen: unknown[] = [];
    const hooks: AssetHook[] = [async (_, change) => void seen.push(change)];
    const store = createAssetStore(await fresh(), { hooks, countTokens: () => 7 });
    const actor = { agent: "ana", conversation: "c", callId: "1", tool: "file_write" };
    await store.write("a.md", "one", { ...ana, actor, reason: "to begin" });
    await store.write("a.md", "two", ana);
    await store.remove("a.md", ana);
    const base = { owner: "ana", path: "a.md", agent: "ana" };
    const one = { text: "one", version: "1", tokens: 7 };
    const two = { text: "two", version: "2", tokens: 7 };
    expect(seen).toEqual([
      { ...base, after: one, actor, reason: "to begin" },
      { ...base, before: one, after: two },
      { ...base, before: two },
    ]);
  });

  test.runIf(engine.name === "embedded")("use the room of states that were pruned again", async () => {
    const database = await fresh();
    const store = createAssetStore(database);
    const sizes: number[] = [];
    for (let times = 0; times < 4; times++) {
      await store.write("a.md", randomBytes(400_000).toString("base64"), ana);
      await store.write("a.md", "short", ana);
      const { rows } = await database.query<{ size: string }>(
        "select pg_total_relation_size('asset') + pg_total_relation_size('asset_revision') as size",
      );
      sizes.push(Number(rows[0]?.size));
      await store.prune(new Date(Date.now() + 60_000));
    }
    expect(sizes.at(-1)).toBeLessThan((sizes[0] ?? 0) * 1.5);
  });

  test("remember their states, until they are pruned", async () => {
    const store = createAssetStore(await fresh());
    for (const text of ["one", "two"]) await store.write("a.md", text, { ...ana, reason: `say ${text}` });
    await store.remove("a.md", ana);
    await store.write("a.md", "three", ana);
    const states = await statesOf(store, "ana", "a.md");
    expect(states.map(({ text, message }) => [text, message])).toEqual([
      ["three", undefined],
      ["two", "say two"],
      ["one", "say one"],
    ]);
    const soon = new Date(Date.now() + 60_000);
    expect(await store.prune(soon, [{ owner: "ana", version: "1" }])).toBe(2);
    expect(await store.prune(soon)).toBe(1);
    expect((await statesOf(store, "ana", "a.md")).map(({ text }) => text)).toEqual(["three"]);
  });

  test("that are long are kept once, and each state of them can be read", async () => {
    const database = await fresh();
    const store = createAssetStore(database);
    const lines = Array.from({ length: 1_500 }, () => `${randomBytes(30).toString("base64")} 🧠`);
    const texts: string[] = [];
    const write = async (text: string): Promise<void> => {
      texts.unshift(text);
      await store.write("a.md", text, ana);
    };
    for (let times = 0; times < 52; times++) {
      lines[times * 7] = `changed for the ${times}th time 🧡`;
      await write(lines.join("\n"));
    }
    await write("short");
    await write(lines.join("\n").slice(0, 40_000));
    await store.remove("a.md", ana);
    await write(lines.join("\n"));
    expect((await statesOf(store, "ana", "a.md")).map(({ text }) => text)).toEqual(texts);
    const { rows } = await database.query<{ size: string }>(
      "select sum(coalesce(length(content), 0)) as size from asset_revision",
    );
    expect(Number(rows[0]?.size)).toBeLessThan(2.5 * lines.join("\n").length);
  });

  test("that stay when newer ones are pruned can still be read", async () => {
    const database = await fresh();
    const store = createAssetStore(database);
    const lines = Array.from({ length: 1_000 }, (_, index) => `line ${index}`);
    const texts: string[] = [];
    for (let times = 0; times < 6; times++) {
      lines[times] = `changed ${times}`;
      texts.push(lines.join("\n"));
      await store.write("a.md", lines.join("\n"), ana);
    }
    // The clock of the machine was set back between the third state and the fourth.
    await database.query("update asset_revision set at = at - interval '1 day' where number = 4");
    expect(await store.prune(new Date(Date.now() - 43_200_000))).toBe(1);
    expect((await statesOf(store, "ana", "a.md")).map(({ text }) => text)).toEqual(texts.toSpliced(3, 1).toReversed());
    expect(await store.prune(new Date(Date.now() + 60_000), [{ owner: "ana", version: "2" }])).toBe(3);
    expect((await statesOf(store, "ana", "a.md")).map(({ text }) => text)).toEqual([texts[5], texts[1]]);
  });

  test("are locked while somebody works on them", async () => {
    const database = await fresh();
    const store = createAssetStore(database);
    await store.write("a.md", "one", ana);
    const order: string[] = [];
    let writing: Promise<unknown> | undefined;
    await store.withLocked("ana", "a.md", async (tx, asset) => {
      const other = openDatabase(engine.optionsOf(database));
      writing = createAssetStore(other)
        .write("a.md", "two", ana)
        .then(() => order.push("written"))
        .then(() => other.close());
      await tx.query("select 1");
      order.push(`locked ${asset.text}`);
    });
    await writing;
    expect(order).toEqual(["locked one", "written"]);
    await expect(store.withLocked("ana", "none.md", async () => 1)).rejects.toMatchObject({ code: "not_found" });
  });
});

test("addresses of assets have one spelling or are refused", () => {
  expect(parseAddress("IKIGAI:///x", "file")).toEqual({ mount: "ikigai", path: "x" });
  expect(parseAddress("ikigai:///a/../b", "file")).toEqual({ mount: "ikigai", path: "b" });
  expect(parseAddress("ikigai:///%2e%2e/x", "file")).toEqual({ mount: "ikigai", path: "%2e%2e/x" });
  for (const text of ["ikigai://host/x", "ikigai:///a\\b"])
    expect(() => parseAddress(text, "file")).toThrow(IkigaiError);
  expect(() => parseAddress("ikigai:///../x", "file")).toThrow(/leaves its root/);
});

test("the end of a prefix is the next text by code points", () => {
  expect(afterPrefix("")).toBeUndefined();
  expect(afterPrefix("a")).toBe("b");
  expect(afterPrefix("a\u{10ffff}")).toBe("b");
  expect(afterPrefix("\u{10ffff}")).toBeUndefined();
  expect(afterPrefix("\ud7ff")).toBe("\ue000");
});
