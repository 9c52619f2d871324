import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { DataBlockDefinition } from "../source/source.ts";
import { testDataBlock } from "./data-block-suite.ts";
import { testDataStream } from "./data-stream-suite.ts";
import { createMemoryStore, memorySource, type MemorySourceOptions } from "./memory-source.ts";
import { memoryStream } from "./memory-stream.ts";

const options = () => ({ store: createMemoryStore() });

function casesOf(suite: Omit<Parameters<typeof testDataBlock>[0], "test" | "source"> & { source: unknown }) {
  const cases = new Map<string, () => Promise<void>>();
  testDataBlock({ ...suite, source: suite.source as never, test: (id, body) => cases.set(id, body) });
  return cases;
}

test("case ids are permanent: none is renamed, none disappears", () => {
  const ids: string[] = [];
  const test = (id: string): unknown => ids.push(id);
  const shared: typeof memorySource = { ...memorySource, storage: "shared" };
  const common = { test, source: shared, options };
  testDataBlock({ ...common, seed: { "seed/a.md": "a" } });
  testDataBlock({ ...common, put: () => {} });
  testDataBlock({ ...common, paths: String });
  testDataStream({ test, source: memoryStream, options: () => ({}) });
  expect([...new Set(ids)].toSorted()).toEqual(PERMANENT.toSorted());
  expect(new Set(PERMANENT).size).toBe(PERMANENT.length);
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

test("a case listed as a known failure must fail", async () => {
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

test("a source in the memory of one process is not asked what another process sees", () => {
  const ids: string[] = [];
  testDataBlock({ test: (id) => ids.push(id), source: memorySource, options });
  expect(ids.filter((id) => id.startsWith("block/process/"))).toEqual([]);
});

test("a source that can write is opened by another process, from the package that the suite is called in", async () => {
  const cases = casesOf({ source: { ...memorySource, storage: "shared" }, options: () => ({}) });
  // This package exports no source named "memory", and says so: the package itself was found.
  await expect(cases.get("block/process/sees-the-other")?.()).rejects.toThrow(
    /core\/dist\/index\.js exports no block source named "memory"/,
  );
});

test("options that only this process can hold fail the two-process cases with a reason", async () => {
  const module = new URL("fixtures/json-file.mjs", import.meta.url);
  const source = { ...memorySource, storage: "shared" as const };
  const cases = casesOf({ source, module, options: () => ({ store: { ...createMemoryStore(), save() {} } }) });
  await expect(cases.get("block/process/sees-the-other")?.()).rejects.toThrow("could not be cloned");
});

test.each(["read", "list", "write", "close"] as const)("a case ends when %s hangs", async (method) => {
  const hanging: typeof memorySource = {
    ...memorySource,
    async open(settings, host) {
      const next = (): Promise<never> => new Promise(() => {});
      const never = method === "list" ? () => ({ [Symbol.asyncIterator]: () => ({ next }) }) : next;
      return { ...(await memorySource.open(settings, host)), [method]: never };
    },
  };
  const cases = casesOf({ source: hanging, options, timeoutMs: 50 });
  for (const id of ["block/read/version-is-stable", "block/list/early-stop", "block/close/twice"]) {
    const outcome = cases
      .get(id)?.()
      .then(
        () => "passed",
        (error: Error) => error.message,
      );
    expect(await outcome).toMatch(/^passed$|did not finish within 50 ms$/);
  }
  const failed = await Promise.allSettled([...cases.values()].map((body) => body()));
  expect(failed.some(({ status }) => status === "rejected")).toBe(true);
});

test("a stream that nobody provokes and that is quiet is skipped, not failed", async () => {
  const cases = new Map<string, (context: unknown) => Promise<void>>();
  testDataStream({
    test: (id, body) => cases.set(id, body),
    source: memoryStream,
    options: () => ({}),
    timeoutMs: 1_000,
  });
  const skipped: string[] = [];
  const skip = (reason: string): unknown => skipped.push(reason);
  await Promise.all([...cases.values()].map((body) => body({ skip })));
  expect(skipped).toHaveLength(9);
  for (const reason of skipped) expect(reason).toContain("the stream was quiet: 0 of");
  // A runner without skip lets them pass.
  await expect(cases.get("stream/events/readable")?.(undefined)).resolves.toBeUndefined();
});

test("a stream that is provoked and says nothing fails", async () => {
  const cases = new Map<string, () => Promise<void>>();
  testDataStream({
    test: (id, body) => cases.set(id, body),
    source: memoryStream,
    options: () => ({}),
    provoke: () => {},
    timeoutMs: 100,
  });
  await expect(cases.get("stream/events/readable")?.()).rejects.toThrow("did not finish within 100 ms");
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
  "block/read/spelling-matters",
  "block/read/folder-is-absent",
  "block/read/follows-others",
  "block/read/at-once",
  "block/read/aborted-signal-settles",
  "block/close/twice",
  "block/close/leaves-other-instances",
  "block/list/no-match-is-empty",
  "block/list/by-prefix",
  "block/list/prefix-is-literal",
  "block/list/code-point-order",
  "block/list/all-of-many",
  "block/list/follows-others",
  "block/list/twice-at-once",
  "block/list/removal-skips-no-other",
  "block/list/entries-are-readable",
  "block/list/early-stop",
  "block/write/round-trip",
  "block/write/returns-what-was-written",
  "block/write/alters-nothing",
  "block/write/long-text",
  "block/write/version-follows-text",
  "block/write/paths-are-apart",
  "block/write/folder-is-kept",
  "block/write/leaves-neighbours",
  "block/write/create-only",
  "block/write/expected-version-saves",
  "block/write/without-expected-overwrites",
  "block/write/stale-version-changes-nothing",
  "block/write/expected-version-is-exact",
  "block/write/expected-version-of-absent-conflicts",
  "block/write/survives-reopen",
  "block/write/aborted-signal-writes-nothing",
  "block/write/abort-on-the-way-leaves-it-usable",
  "block/write/takes-reason-and-actor",
  "block/race/one-winner",
  "block/race/one-winner-between-instances",
  "block/race/one-creator-between-instances",
  "block/race/different-paths-all-survive",
  "block/race/text-is-never-half-seen",
  "block/race/one-remover",
  "block/race/writer-or-remover",
  "block/remove/absent-rejects",
  "block/remove/forgets",
  "block/remove/leaves-what-is-below",
  "block/remove/expected-version-is-exact",
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
  "block/watch/busy-reader-misses-no-path",
  "block/watch/reports-each-step",
  "block/watch/aborted-change-is-no-change",
  "block/watch/may-be-left",
  "block/watch/outlives-other-instances",
  "block/watch/watchers-are-independent",
  "block/watch/ends-on-abort",
  "block/watch/aborted-signal-ends",
  "block/history/never-existed-is-empty",
  "block/history/newest-first",
  "block/history/includes-present",
  "block/history/refused-write-leaves-no-trace",
  "block/history/aborted-write-leaves-no-trace",
  "block/history/paths-are-apart",
  "block/history/folder-has-none",
  "block/history/goes-back-far",
  "block/history/outlives-removal",
  "block/history/survives-reopen",
  "block/process/sees-the-other",
  "block/process/no-update-is-lost",
  "block/process/one-creator",
  "block/process/one-remover",
  "block/process/watch-sees-the-other",
  "block/seed/is-read",
  "block/seed/version-is-stable",
  "block/seed/spelling-matters",
  "block/seed/is-read-at-once",
  "block/seed/is-listed-in-order",
  "block/seed/is-listed-again",
  "block/seed/is-listed-by-prefix",
  "block/seed/prefix-is-literal",
  "block/seed/entries-are-true",
  "block/seed/early-stop",
  "block/outside/text-is-kept",
  "block/outside/list-has-all-of-many",
  "block/outside/version-follows-text",
  "block/outside/change-is-seen",
  "block/outside/removal-is-seen",
  "block/outside/stale-version-conflicts",
  "block/outside/watch-sees-it",
  "block/outside/history-has-it",
  "block/paths/all-are-taken",
  "block/paths/other-shapes-are-refused",
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
