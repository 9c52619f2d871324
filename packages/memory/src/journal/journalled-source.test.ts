import type { Actor, SourceHost } from "@ikigai/core";
import { memorySource } from "@ikigai/core/testing";
import { beforeEach, describe, expect, test } from "vitest";
import type { Journal } from "./journal.ts";
import { journalledSource } from "./journalled-source.ts";
import { createMemoryJournal } from "./memory-journal.ts";

const actor: Actor = { agent: "ann", conversation: "c", callId: "1", tool: "file_write" };
const host: SourceHost = { mount: "file", signal: new AbortController().signal, services: {}, warn: () => {} };
type Source = ReturnType<typeof journalledSource>;

let journal: Journal;
let warnings: string[];
let plain: Source;
let source: Source;

beforeEach(async () => {
  journal = createMemoryJournal(() => new Date(0));
  warnings = [];
  plain = await memorySource.open({}, host);
  source = wrap(plain);
});

function wrap(inner: Source, open: () => Promise<Journal> = async () => journal): Source {
  return journalledSource(inner, {
    mount: "file",
    owner: "folder",
    journal: open,
    warn: (message) => void warnings.push(message),
  });
}
const history = (): ReturnType<Journal["history"]> => journal.history("file:///a", { owner: "folder" });

test("each change is written down with what it replaced, who made it and why", async () => {
  const { version } = (await source.write?.("a", "one", { actor, reason: "first" })) ?? { version: "" };
  await source.write?.("a", "two", { expected: version, actor });
  await source.remove?.("a", { actor });
  expect(await history()).toMatchObject([
    { before: { text: "two" }, agent: "ann", state: "done" },
    { before: { text: "one", version }, after: { text: "two" }, callId: "1", tool: "file_write" },
    { after: { text: "one", version }, reason: "first", conversation: "c" },
  ]);
  expect((await history())[0]).not.toHaveProperty("after");
  expect((await history())[2]).not.toHaveProperty("before");
});

test("a change that fails is no part of the history, and its error is the source's own", async () => {
  await source.write?.("a", "one");
  await expect(source.write?.("a", "two", { expected: "other" })).rejects.toMatchObject({ code: "conflict" });
  await expect(source.write?.("a", "two", { expected: null })).rejects.toMatchObject({ code: "conflict" });
  await expect(source.remove?.("b")).rejects.toMatchObject({ code: "not_found" });
  expect(await history()).toHaveLength(1);
  expect((await history())[0]).toMatchObject({ agent: "folder" });
});

test("a journalled source writes nothing when its journal cannot be written", async () => {
  const closed = wrap(plain, async () => {
    throw new Error("no store");
  });
  await expect(closed.write?.("a", "x")).rejects.toThrow("no store");
  expect(await plain.read("a")).toBeUndefined();
});

test("a write that names no version is made against what was really there", async () => {
  await plain.write?.("a", "base");
  let raced = false;
  const racing = wrap({
    ...plain,
    read: async (path, options) => {
      const found = await plain.read(path, options);
      if (!raced) await plain.write?.("a", "theirs");
      raced = true;
      return found;
    },
  });
  await racing.write?.("a", "mine");
  expect(await history()).toMatchObject([{ before: { text: "theirs" }, after: { text: "mine" } }]);
  raced = false;
  await racing.remove?.("a");
  expect(await plain.read("a")).toBeUndefined();
});

test("a source that always changes is given up on, not waited for", async () => {
  let version = 0;
  const restless = wrap({
    ...plain,
    read: async () => ({ text: "", version: String(version++) }),
  });
  await plain.write?.("a", "x");
  await expect(restless.write?.("a", "y")).rejects.toMatchObject({ code: "conflict" });
});

describe("when the end of a change cannot be written down", () => {
  test("the change still counts, and the operator is told", async () => {
    journal = { ...journal, settle: () => Promise.reject(new Error("gone")) };
    expect(await source.write?.("a", "x")).toMatchObject({ text: "x" });
    expect(warnings).toEqual([expect.stringContaining("stays open: gone")]);
    expect(await history()).toMatchObject([{ state: "intended" }]);
  });
});

test("a source that cannot change stays as it is", async () => {
  const { read, list } = plain;
  const reader = wrap({ read, list });
  expect(reader.write).toBeUndefined();
  expect(reader.remove).toBeUndefined();
});

test("the journal in memory tells the time by itself", async () => {
  const own = createMemoryJournal();
  const id = await own.intend({ uri: "file:///a", owner: "o", agent: "ann" });
  expect((await own.get(id)).at.getTime()).toBeGreaterThan(0);
});

test("the signal of a call reaches the read before it", async () => {
  const { signal } = new AbortController();
  const seen: (AbortSignal | undefined)[] = [];
  const watching = wrap({ ...plain, read: (path, options) => (seen.push(options?.signal), plain.read(path, options)) });
  await watching.write?.("a", "x", { signal });
  expect(seen).toEqual([signal]);
});

test("the journal in memory knows its entries by id and settles each once", async () => {
  const id = await journal.intend({
    uri: "file:///a",
    owner: "folder",
    agent: "ann",
    after: { text: "x", version: "" },
  });
  await journal.settle(id, {});
  await journal.settle(id, "failed");
  await journal.settle("none", "failed");
  expect(await journal.get(id)).toMatchObject({ state: "done", after: { version: "" } });
  await expect(journal.get("99")).rejects.toMatchObject({ code: "not_found" });
  expect(await journal.history("file:///a", { owner: "other" })).toEqual([]);
});

test("a text that was just read is not read again for its entry; any other is", async () => {
  let reads = 0;
  const counting = wrap({
    ...plain,
    read(path, call) {
      reads++;
      return plain.read(path, call);
    },
  });
  await counting.write?.("a", "one");
  await counting.write?.("b", "other");
  const { version } = (await counting.read("a")) ?? { version: "" };
  reads = 0;
  const two = (await counting.write?.("a", "two", { expected: version, actor })) ?? { version: "" };
  expect(reads).toBe(0);
  await counting.write?.("a", "three", { expected: two.version, actor });
  expect(reads).toBe(1);
  await counting.read("b");
  await counting.write?.("a", "four", { actor });
  await counting.read("a");
  await counting.remove?.("a", { actor });
  expect(reads).toBe(5);
  expect((await history()).map(({ before }) => before?.text)).toEqual(["four", "three", "two", "one", undefined]);
});

test("the journal never takes a text that somebody else changed meanwhile for what a write replaced", async () => {
  await source.write?.("a", "one");
  const { version } = (await source.read("a")) ?? { version: "" };
  await plain.write?.("a", "theirs");
  await expect(source.write?.("a", "two", { expected: version })).rejects.toMatchObject({ code: "conflict" });
  await source.write?.("a", "two");
  expect((await history())[0]).toMatchObject({ before: { text: "theirs" }, after: { text: "two" } });
});

test("a long text is not kept in memory", async () => {
  const long = "x".repeat(4_000_001);
  await source.write?.("a", long);
  const { version } = (await source.read("a")) ?? { version: "" };
  await source.write?.("a", "short", { expected: version });
  expect((await history())[0]?.before?.text).toBe(long);
});

describe("a source with links", () => {
  const linked = (): Source =>
    wrap({
      ...plain,
      follow(path) {
        if (path === "nowhere") throw new Error("nobody can say");
        const stored = path
          .replace(/^link$/, "a")
          .replace(/^linked(?=\/|$)/, "folder")
          .replace(/^top(?:\/|$)/, "");
        return { path: stored, stored, local: `/root/${stored}` };
      },
    });
  const urisOf = async (...uris: readonly string[]): Promise<readonly number[]> =>
    Promise.all(uris.map(async (uri) => (await journal.history(uri, { owner: "folder" })).length));

  test("a write is written down where the link leads", async () => {
    await linked().write?.("link", "one");
    expect(await urisOf("file:///a", "file:///link")).toEqual([1, 0]);
  });

  test("a removal is written down under the name that goes, in the folder where it really is", async () => {
    for (const path of ["link", "linked/b", "top/c"]) {
      await plain.write?.(path, "one");
      await linked().remove?.(path);
    }
    expect(await urisOf("file:///link", "file:///folder/b", "file:///c")).toEqual([1, 1, 1]);
    expect(await urisOf("file:///a", "file:///linked/b", "file:///top/c")).toEqual([0, 0, 0]);
  });

  test("a removal that keeps links is written down where the link leads", async () => {
    await plain.write?.("link", "one");
    await linked().remove?.("link", { keepsLink: true });
    expect(await urisOf("file:///a", "file:///link")).toEqual([1, 0]);
  });

  test("a path that cannot be followed is written down as it is named", async () => {
    await linked().write?.("nowhere", "one");
    expect(await urisOf("file:///nowhere")).toEqual([1]);
  });
});
