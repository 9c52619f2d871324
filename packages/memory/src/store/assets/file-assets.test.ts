import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Actor } from "@ikigai/core";
import { testDataBlock } from "@ikigai/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Assets } from "../../pins/pins.ts";
import { fileAssetSource, openAssetFolder } from "../../testing/file-asset-source.test.helper.ts";
import { createDocuments } from "../documents.ts";
import { hasFileStore, takeFileStore } from "../take-file-store.ts";
import { MAX_CHANGES, MAX_STATES } from "./asset-history.ts";

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "ikigai-file-assets-"));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const ana: Actor = { agent: "ana", conversation: "c1", callId: "call-1", tool: "file_write" };

async function pathsOf(assets: Assets, options?: { readonly archived: boolean }): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const { path } of assets.list("ana", "", options)) paths.push(path);
  return paths;
}

describe("assets in plain files as a source", () => {
  testDataBlock({
    test,
    source: fileAssetSource,
    options: async () => ({ folder: await mkdtemp(join(base, "one-")) }),
    module: new URL("../../../dist/testing/file-asset-source.test.helper.js", import.meta.url),
  });
});

test("looking at assets that are not there makes nothing", async () => {
  const { assets } = openAssetFolder(base);
  expect(await pathsOf(assets)).toEqual([]);
  expect(await assets.find("ana", "a.md")).toBeUndefined();
  expect(await assets.position("ana")).toBe('{"ana":"0"}');
  expect(await readdir(base)).toEqual([]);
});

test("an archived asset is listed only when it is asked for, and writing brings it back", async () => {
  const { assets, journal } = openAssetFolder(base);
  const texts = assets.open("ana");
  await texts.write("a.md", "one");
  await assets.change("a.md", { fields: { archived: true, description: "old" }, reason: "tidy" }, ana);
  expect([await pathsOf(assets), await pathsOf(assets, { archived: true })]).toEqual([[], ["a.md"]]);
  const [described] = await journal.history("ikigai:///a.md", { owner: "ana" });
  expect(described).toMatchObject({
    state: "done",
    reason: "tidy",
    fields: { before: { archived: false, description: "" }, after: { archived: true, description: "old" } },
  });
  await texts.write("a.md", "two");
  expect(await assets.find("ana", "a.md")).toMatchObject({ archived: false, description: "old", version: "2" });
});

test("a change that sets what is so already is none, and is not in the journal", async () => {
  const { assets, journal } = openAssetFolder(base);
  await assets.change("a.md", { text: "one", fields: { pinned: true } }, ana);
  await assets.change("a.md", { fields: { archived: false, pinned: true } }, ana);
  expect(await journal.history("ikigai:///a.md", { owner: "ana" })).toHaveLength(1);
});

test("a read-only asset is written, described and removed by nobody until it is opened again", async () => {
  const { assets } = openAssetFolder(base);
  const texts = assets.open("ana");
  await assets.change("a.md", { text: "one", fields: { readOnly: true } }, ana);
  const denied = { code: "permission_denied" };
  await expect(texts.write("a.md", "two")).rejects.toMatchObject(denied);
  await expect(texts.remove("a.md")).rejects.toMatchObject(denied);
  await expect(assets.change("a.md", { fields: { description: "x" } }, ana)).rejects.toMatchObject(denied);
  await assets.change("a.md", { fields: { archived: true } }, ana);
  await assets.change("a.md", { text: "two", fields: { readOnly: false } }, ana);
  expect(await texts.read("a.md")).toEqual({ text: "two", version: "2" });
});

test("removing a pinned asset frees its tokens, and the journal keeps text, details and pin", async () => {
  const { assets, journal, pins } = openAssetFolder(base);
  await assets.change("a.md", { text: "word", fields: { pinned: true, description: "mine" } }, ana);
  await assets.open("ana").remove("a.md", { actor: ana, reason: "done", undoes: "7" });
  expect(await pins.status("ana")).toMatchObject({ pinned: 0, pins: [] });
  const [removed] = await journal.history("ikigai:///a.md", { owner: "ana" });
  expect(removed).toMatchObject({
    before: { text: "word" },
    fields: { before: { pinned: true, description: "mine" }, after: { pinned: false } },
    reason: "done",
    undoes: "7",
    callId: "call-1",
  });
  expect(removed?.after).toBeUndefined();
  await assets.open("ana").write("a.md", "word");
  await assets.open("ana").remove("a.md");
  const [plain] = await journal.history("ikigai:///a.md", { owner: "ana" });
  expect(plain?.fields).toBeUndefined();
});

test("a write that does not fit beside the pins is refused, and records of the program itself are not counted", async () => {
  const { assets, pins } = openAssetFolder(base);
  await pins.setLimit("ana", 10);
  await assets.change("a.md", { text: "x".repeat(8), fields: { pinned: true } }, ana);
  const texts = assets.open("ana");
  await expect(texts.write("b.md", "xxx")).rejects.toMatchObject({ code: "over_budget" });
  await expect(texts.write("a.md", "x".repeat(11))).rejects.toMatchObject({ code: "over_budget" });
  await texts.write("system/rename.json", "xxx");
  await texts.write("b.md", "xx");
  await texts.write("a.md", "x".repeat(10));
  expect(await pins.status("ana")).toMatchObject({ pinned: 10, pins: [{ version: "4", tokens: 10 }] });
  expect(await texts.read("b.md")).toMatchObject({ text: "xx" });
});

test("a user who switched the journal off has assets without one", async () => {
  const { assets, journal } = openAssetFolder(base, { journal: false });
  await assets.open("ana").write("a.md", "one");
  expect(await journal.history("ikigai:///a.md", { owner: "ana" })).toEqual([]);
});

test("a change whose files cannot be written fails, and its entry in the journal stays open", async () => {
  const { assets, journal } = openAssetFolder(base);
  const texts = assets.open("ana");
  await texts.write("a.md", "one");
  const states = join(base, "files/asset-states");
  await rm(states, { recursive: true });
  await writeFile(states, "no folder");
  await expect(texts.write("b.md", "two")).rejects.toMatchObject({ code: "unavailable" });
  expect(await journal.history("ikigai:///b.md", { owner: "ana" })).toMatchObject([{ state: "intended" }]);
});

test("a journal that cannot be written to afterwards leaves the change stored, and that is said", async () => {
  const warnings: string[] = [];
  const { createFileAssets } = await import("./file-assets.ts");
  const { createFileBudget } = await import("../file-budget.ts");
  const documents = createDocuments(join(base, "files"));
  const options = { limit: 100, canCompact: false, countTokens: (text: string) => text.length };
  const { journal } = openAssetFolder(base);
  const assets = createFileAssets({
    documents,
    budget: createFileBudget(documents, options),
    journal: { ...journal, settle: () => Promise.reject(new Error("the disk is full")) },
    mount: "ikigai",
    countTokens: options.countTokens,
    clock: () => new Date(),
    warn: (message) => warnings.push(message),
  });
  await assets.open("ana").write("a.md", "one");
  expect(await assets.read("ana", "a.md")).toMatchObject({ text: "one" });
  expect(warnings).toEqual([
    expect.stringMatching(/^the journal entry \w+ of ikigai:\/\/\/a\.md stays open: the disk/),
  ]);
});

test("only the last states of an asset are kept, and none besides", { timeout: 120_000 }, async () => {
  const { assets, pins } = openAssetFolder(base);
  const texts = assets.open("ana");
  for (let number = 1; number <= MAX_STATES + 3; number += 1) await texts.write("a.md", `${number}`);
  const versions: string[] = [];
  for await (const { version } of texts.history("a.md")) versions.push(version);
  expect([versions.length, versions[0], versions.at(-1)]).toEqual([MAX_STATES, `${MAX_STATES + 3}`, "4"]);
  expect(await readdir(join(base, "files/asset-states"))).toHaveLength(MAX_STATES);
  expect((await pins.status("ana")).pins).toEqual([]);
});

test("changes are told from a position on, those of others too, and more than are remembered are passed over", async () => {
  const { assets } = openAssetFolder(base);
  const other = openAssetFolder(base).assets;
  const documents = createDocuments(join(base, "files"));
  await assets.open("ana").write("first.md", "1");
  const rows = Array.from({ length: MAX_CHANGES }, (_, at) => ({
    number: at + 2,
    path: `${at}.md`,
    change: "created",
    author: "ana",
    program: "p",
    at: new Date(0).toISOString(),
  }));
  await documents.change(async (change) => {
    change.set("asset-changes", "ana", { owner: "ana", number: MAX_CHANGES + 1, rows });
  });
  await other.open("ana").write("last.md", "1");
  const stop = new AbortController();
  const told: { path: string; own: boolean }[] = [];
  for await (const { data } of assets.changes("ana", { after: "{}", signal: stop.signal })) {
    told.push(data as { path: string; own: boolean });
    if (told.length === MAX_CHANGES) stop.abort();
  }
  expect([told[0], told.at(-1)]).toMatchObject([{ path: "1.md" }, { path: "last.md", own: false }]);
});

test("a reader that begins now hears of the next change, also of another opening", async () => {
  const { assets } = openAssetFolder(base);
  const stop = new AbortController();
  const events = assets.changes("ana", { signal: stop.signal })[Symbol.asyncIterator]();
  const next = events.next();
  await openAssetFolder(base).assets.open("ana").write("a.md", "1");
  expect((await next).value).toMatchObject({ text: '"a.md" was created by ana', data: { own: false } });
  stop.abort();
  expect((await events.next()).done).toBe(true);
});

test("a state whose file is gone is unavailable, and the others are still listed", async () => {
  const { assets } = openAssetFolder(base);
  const texts = assets.open("ana");
  await texts.write("a.md", "one");
  await rm(join(base, "files/asset-states"), { recursive: true });
  await expect(texts.read("a.md")).rejects.toMatchObject({ code: "unavailable" });
  expect(await pathsOf(assets)).toEqual(["a.md"]);
  const revisions: unknown[] = [];
  for await (const one of texts.history("a.md")) revisions.push(one);
  expect(revisions).toEqual([]);
});

test("assets are handed to another store whole, and go from the files then", async () => {
  const { assets } = openAssetFolder(base);
  await assets.open("ana").write("a.md", "one");
  await assets.open("ana").write("a.md", "two");
  const folder = join(base, "files");
  let taken: unknown;
  expect(await takeFileStore(folder, async (content) => void (taken = content.assets))).toBe(true);
  expect(taken).toMatchObject({
    documents: [{ owner: "ana", path: "a.md", present: { version: "2" }, states: [1, 2] }],
    states: expect.arrayContaining([expect.objectContaining({ number: 1, text: "one" })]),
    changes: [{ owner: "ana", number: 2 }],
  });
  expect(await hasFileStore(folder)).toBe(false);
  expect(await pathsOf(assets)).toEqual([]);
});
