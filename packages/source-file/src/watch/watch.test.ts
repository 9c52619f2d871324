import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { TextChange } from "@ikigai/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { createChangeLog } from "./change-log.ts";
import { createEventQueue } from "./event-queue.ts";
import { fileChanges } from "./file-changes.ts";
import { createFreshFolders } from "./fresh-folders.ts";
import type { FileBlock } from "../open-file-source.ts";
import { takeSnapshot } from "./tree-snapshot.ts";
import { codeOf, createWorkspace, plainHost } from "../testing/workspace.ts";

/** Watches until a change of `path` comes, and gives everything that came up to it. */
function watchUntil(source: FileBlock, path: string): Promise<TextChange[]> {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const changes = source.watch({ signal: stop.signal });
  return (async () => {
    const seen: TextChange[] = [];
    for await (const change of changes) {
      seen.push(change);
      if (change.path === path) return seen;
    }
    return seen;
  })();
}

test("what .gitignore hides, links and our own files are not watched", async () => {
  const workspace = createWorkspace();
  const { root, base } = workspace;
  mkdirSync(`${root}/build`);
  mkdirSync(`${base}/outside`);
  writeFileSync(`${root}/.gitignore`, "build/\n*.log\n");
  symlinkSync("../outside", `${root}/link`);
  const source = await workspace.open();
  const watching = watchUntil(source, "last");
  const ready = watchUntil(source, "first");
  writeFileSync(`${root}/first`, "");
  await ready;
  writeFileSync(`${root}/build/out.js`, "");
  writeFileSync(`${root}/folder/x.log`, "");
  writeFileSync(`${base}/outside/secret`, "");
  writeFileSync(`${root}/.git`, "");
  symlinkSync("folder", `${root}/another`);
  await source.write("folder/a.md", "new");
  writeFileSync(`${root}/last`, "");
  const seen = await watching;
  expect(seen.filter(({ path }) => !["first", "last", "folder/a.md"].includes(path))).toEqual([]);
});

test("changes close together are one, and are told as what they are", async () => {
  const workspace = createWorkspace();
  const { root } = workspace;
  writeFileSync(`${root}/folder/a`, "one");
  writeFileSync(`${root}/folder/b`, "one");
  const source = await workspace.open();
  const watching = watchUntil(source, "folder/z");
  for (let at = 0; at < 20; at++) appendFileSync(`${root}/folder/a`, "more");
  rmSync(`${root}/folder/b`);
  writeFileSync(`${root}/folder/b`, "again");
  writeFileSync(`${root}/folder/brief`, "");
  rmSync(`${root}/folder/brief`);
  renameSync(`${root}/folder/a`, `${root}/folder/z`);
  const seen = await watching;
  expect(seen.filter(({ path }) => path === "folder/brief")).toEqual([]);
  expect(seen.filter(({ path }) => path === "folder/b").map(({ change }) => change)).toEqual(["updated"]);
});

test("folders that are new are looked into until the watcher has them", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const looks: string[] = [];
  const fresh = createFreshFolders((folder) => void looks.push(folder));
  for (const folder of ["a", "a/b", "c"]) fresh.add(folder);
  await vi.advanceTimersByTimeAsync(250);
  expect(looks).toEqual(["a", "c"]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(looks.length).toBe(24);
  fresh.add("");
  fresh.add("d");
  await vi.advanceTimersByTimeAsync(250);
  expect(looks.slice(24)).toEqual([""]);
  fresh.stop();
  expect(vi.getTimerCount()).toBe(0);
});

test("closing the source ends the watch", async () => {
  const source = await createWorkspace().open();
  const watching = watchUntil(source, "nothing");
  await source.close?.();
  expect(await watching).toEqual([]);
});

test("in a tree too large for a first look the time of the change decides", () => {
  const { root } = createWorkspace();
  const visibility = { shows: () => true };
  for (let at = 0; at < 30; at++) writeFileSync(`${root}/folder/${at}`, "");
  const snapshot = takeSnapshot(root, visibility, Date.now() + 60_000, 10);
  const known = new Set(snapshot.paths());
  const other = Array.from({ length: 30 }, (_, at) => `folder/${at}`).find((path) => !known.has(path)) ?? "";
  expect(snapshot.compare(other)).toBeUndefined();
  writeFileSync(`${root}/${other}`, "changed");
  expect(snapshot.compare(other)).toEqual({ path: other, change: "updated" });
  const late = takeSnapshot(root, visibility, 0, 10);
  const unknown =
    Array.from({ length: 30 }, (_, at) => `folder/${at}`).find((path) => !new Set(late.paths()).has(path)) ?? "";
  expect(late.compare(unknown)).toEqual({ path: unknown, change: "created" });
});

test("a log is read again from any cursor that it still knows", async () => {
  const log = createChangeLog("file", () => new Date(0));
  for (const path of ["a", "b", "c"]) log.add({ path, change: "created" });
  const { signal } = new AbortController();
  const read = async (after?: string): Promise<unknown[]> => {
    const events: unknown[] = [];
    for await (const { data, cursor } of log.follow(signal, after)) {
      events.push(data, cursor);
      if ((data as { path: string }).path === "c") break;
    }
    return events;
  };
  const all = await read("no such cursor");
  expect(all.filter((one) => typeof one === "object")).toEqual(
    ["a", "b", "c"].map((path) => ({ uri: `file:///${path}`, path, change: "created" })),
  );
  expect(await read(String(all[1]))).toEqual(all.slice(2));
});

test("a log forgets the oldest beyond 10,000", async () => {
  const log = createChangeLog("file");
  for (let at = 0; at <= 10_000; at++) log.add({ path: String(at), change: "created" });
  for await (const { text } of log.follow(new AbortController().signal, "gone")) {
    expect(text).toBe("1 was created");
    break;
  }
});

test("a watch that fails ends every reader with its error, also those that come later", async () => {
  const log = createChangeLog("file");
  const { signal } = new AbortController();
  const drain = async (values: AsyncIterable<unknown>): Promise<void> => {
    for await (const _ of values);
  };
  const early = drain(log.follow(signal, undefined));
  log.fail(new Error("too many files"));
  await expect(early).rejects.toThrow("too many files");
  await expect(drain(log.follow(signal, undefined))).rejects.toThrow("too many files");
});

test("an event that was pushed before an abort is not given after it", async () => {
  const stop = new AbortController();
  const queue = createEventQueue<number>(stop.signal, () => {});
  queue.push(1);
  queue.push(2);
  const seen: number[] = [];
  for await (const value of queue.values) {
    seen.push(value);
    stop.abort();
  }
  expect(seen).toEqual([1]);
});

test("a folder that is not there cannot be followed", async () => {
  expect(await codeOf(fileChanges.open({ root: "/no/such/folder" }, plainHost()))).toBe("not_found");
  const guidance = fileChanges.guidance;
  expect(typeof guidance === "function" && guidance("changes")).toContain("changes");
});
