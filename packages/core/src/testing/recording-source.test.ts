import { expect, test } from "vitest";
import type { SourceHost } from "../source/source.ts";
import { createMemoryStore, memorySource } from "./memory-source.ts";
import { recordingSource, undeclaredTouches } from "./recording-source.ts";
import { testDataBlock } from "./data-block-suite.ts";

const host: SourceHost = { mount: "m", signal: new AbortController().signal, services: {}, warn: () => {} };

testDataBlock({
  test,
  source: recordingSource(memorySource).definition,
  options: () => ({ store: createMemoryStore() }),
});

test("each touch is written down with what it did, failed attempts too", async () => {
  const recording = recordingSource(memorySource);
  const source = await recording.definition.open({}, host);
  await source.write("a.md", "one");
  await source.write("a.md", "two");
  await source.write("a.md", "refused", { expected: null }).catch(() => {});
  await source.read("a.md");
  for await (const _ of source.list("a"));
  for await (const _ of source.history("a.md"));
  for await (const _ of source.watch({ signal: AbortSignal.abort() }));
  await source.remove("a.md");
  expect(recording.take()).toEqual([
    { action: "create", path: "a.md" },
    { action: "update", path: "a.md" },
    { action: "update", path: "a.md" },
    { action: "read", path: "a.md" },
    { action: "read", path: "a" },
    { action: "read", path: "a.md" },
    { action: "read", path: "" },
    { action: "delete", path: "a.md" },
  ]);
  expect(recording.touches).toEqual([]);
});

test("a source gains no capability by being recorded", async () => {
  const reader = {
    ...memorySource,
    capabilities: [],
    open: async () => ({ read: async () => undefined, async *list() {} }),
  };
  const source = await recordingSource<object, never>(reader).definition.open({}, host);
  expect(Object.keys(source).toSorted()).toEqual(["list", "read"]);
});

test.each([
  ["read", "a.md", "read", "m:///a.md", true],
  ["read", "b/a.md", "read", "m:///b", true],
  ["read", "b/a.md", "read", "m:///", true],
  ["read", "bb.md", "read", "m:///b", false],
  ["read", "a.md", "read", "other:///a.md", false],
  ["read", "a.md", "update", "m:///a.md", true],
  ["update", "a.md", "update", "m:///x/../a.md", true],
  ["update", "b/a.md", "update", "m:///b", false],
  ["update", "a.md", "create", "m:///a.md", false],
  ["update", "a.md", "read", "m:///a.md", false],
  ["update", "a.md", "append", "m:///a.md", true],
  ["delete", "a.md", "update", "m:///a.md", false],
] as const)("%s of %s, declared as %s of %s: covered is %s", (action, path, declared, target, covered) => {
  const undeclared = undeclaredTouches([{ action, path }], [{ action: declared, target }], "m");
  expect(undeclared.length === 0).toBe(covered);
});
