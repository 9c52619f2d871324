import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { DataBlockDefinition } from "../source.ts";
import { testDataBlock } from "./data-block-suite.ts";
import { testDataStream } from "./data-stream-suite.ts";
import { createMemoryStore, memorySource, type MemorySourceOptions } from "./memory-source.ts";
import { memoryStream } from "./memory-stream.ts";

const options = () => ({ store: createMemoryStore() });

test("case ids are permanent: none is renamed, none disappears", () => {
  const ids: string[] = [];
  const test = (id: string): unknown => ids.push(id);
  testDataBlock({ test, source: memorySource, options, seed: { "seed/a.md": "a" } });
  testDataStream({ test, source: memoryStream, options: () => ({}) });
  expect(ids).toEqual(PERMANENT);
  expect(new Set(ids).size).toBe(ids.length);
});

test("the capabilities decide which cases are run", () => {
  const ids: string[] = [];
  const { remove: _r, watch: _w, history: _h, ...rest } = { remove: 0, watch: 0, history: 0 };
  const source: DataBlockDefinition<MemorySourceOptions, "write"> = {
    ...memorySource,
    ...rest,
    capabilities: ["write"],
  };
  testDataBlock({ test: (id) => ids.push(id), source, options });
  expect(ids).toContain("block/race/one-winner");
  expect(ids.filter((id) => /remove|watch|history|seed/.test(id))).toEqual([]);
});

test("a source that cannot write and has no seed is refused", () => {
  const source: DataBlockDefinition<MemorySourceOptions, never> = { ...memorySource, capabilities: [] };
  expect(() => testDataBlock({ test, source, options })).toThrow("cannot write");
});

test("a known failure must fail", async () => {
  const cases = new Map<string, () => Promise<void>>();
  const broken: typeof memorySource = {
    ...memorySource,
    async open(settings, host) {
      return { ...(await memorySource.open(settings, host)), read: async () => undefined };
    },
  };
  const knownFailures = { "block/write/round-trip": "reads are not written yet", "block/close/twice": "mistaken" };
  testDataBlock({ test: (id, body) => cases.set(id, body), source: broken, options, knownFailures });
  await expect(cases.get("block/write/round-trip")?.()).resolves.toBeUndefined();
  await expect(cases.get("block/close/twice")?.()).rejects.toThrow("take it out of knownFailures (mistaken)");
});

test("a known failure that names no case is refused", () => {
  const knownFailures = { "block/write/rond-trip": "a slip of the pen" };
  expect(() => testDataBlock({ test, source: memorySource, options, knownFailures })).toThrow("rond-trip");
});

test("options that the schema refuses fail the case and name the reason", async () => {
  const cases = new Map<string, () => Promise<void>>();
  testDataBlock({ test: (id, body) => cases.set(id, body), source: memorySource, options: () => ({ stroe: 1 }) });
  await expect(cases.get("block/close/twice")?.()).rejects.toThrow("the schema refuses the suite's options");
});

test("the same suites run under node:test", () => {
  const fixture = fileURLToPath(new URL("fixtures/reference.node-test.mjs", import.meta.url));
  const { stdout, status } = spawnSync(process.execPath, ["--test", "--test-reporter=tap", fixture], {
    encoding: "utf8",
  });
  expect(stdout).toMatch(/^# fail 0$/m);
  expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(60);
  expect(status).toBe(0);
});

const PERMANENT: readonly string[] = [
  "block/define/contract",
  "block/define/options-refuse-garbage",
  "block/define/capabilities-match-methods",
  "block/read/absent-is-undefined",
  "block/read/object-property-names",
  "block/read/version-is-stable",
  "block/read/aborted-signal-settles",
  "block/close/twice",
  "block/close/leaves-other-instances",
  "block/list/no-match-is-empty",
  "block/list/by-prefix",
  "block/list/prefix-is-literal",
  "block/list/code-point-order",
  "block/list/entries-are-readable",
  "block/list/early-stop",
  "block/write/round-trip",
  "block/write/returns-what-was-written",
  "block/write/alters-nothing",
  "block/write/version-follows-text",
  "block/write/paths-are-apart",
  "block/write/create-only",
  "block/write/expected-version-saves",
  "block/write/without-expected-overwrites",
  "block/write/stale-version-changes-nothing",
  "block/write/expected-version-of-absent-conflicts",
  "block/write/survives-reopen",
  "block/write/aborted-signal-writes-nothing",
  "block/race/one-winner",
  "block/race/one-winner-between-instances",
  "block/race/one-creator-between-instances",
  "block/race/different-paths-all-survive",
  "block/race/text-is-never-half-seen",
  "block/race/one-remover",
  "block/race/writer-or-remover",
  "block/remove/absent-rejects",
  "block/remove/forgets",
  "block/remove/survives-reopen",
  "block/remove/expected-version-removes",
  "block/remove/stale-version-removes-nothing",
  "block/remove/recreated-block-is-new",
  "block/remove/aborted-signal-removes-nothing",
  "block/watch/reports-create",
  "block/watch/reports-update",
  "block/watch/reports-remove",
  "block/watch/reports-every-path",
  "block/watch/sees-other-instances",
  "block/watch/reading-is-no-change",
  "block/watch/watchers-are-independent",
  "block/watch/ends-on-abort",
  "block/watch/aborted-signal-ends",
  "block/history/never-existed-is-empty",
  "block/history/newest-first",
  "block/history/includes-present",
  "block/history/refused-write-leaves-no-trace",
  "block/history/survives-reopen",
  "block/seed/is-read",
  "block/seed/version-is-stable",
  "block/seed/is-listed-in-order",
  "block/seed/is-listed-by-prefix",
  "block/seed/entries-are-true",
  "block/seed/early-stop",
  "stream/define/contract",
  "stream/define/options-refuse-garbage",
  "stream/events/unique-cursors",
  "stream/events/readable",
  "stream/events/ends-on-abort",
  "stream/events/ends-on-abort-while-waiting",
  "stream/events/aborted-signal-ends",
  "stream/events/reader-may-leave",
  "stream/events/readers-are-independent",
  "stream/close/twice",
  "stream/replay/starts-after-cursor",
  "stream/replay/in-another-instance",
  "stream/replay/never-repeats",
];
