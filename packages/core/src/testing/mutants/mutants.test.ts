import { describe, expect, test } from "vitest";
import type { BlockCapability, BlockReader, DataBlockDefinition, DataStreamDefinition } from "../../source.ts";
import { testDataBlock } from "../data-block-suite.ts";
import { testDataStream } from "../data-stream-suite.ts";
import { createMemoryStore, memorySource, type MemorySourceOptions } from "../memory-source.ts";
import { createMemoryFeed, emit, type MemoryFeed, memoryStream, type MemoryStreamOptions } from "../memory-stream.ts";
import { BLOCK_MUTANTS, DEFINITION_MUTANTS, mutate } from "./block-mutants.ts";
import { mutateStream, STREAM_DEFINITION_MUTANTS, STREAM_MUTANTS } from "./stream-mutants.ts";

/** Long enough for an honest source, short enough for one that hangs. */
const MUTANT_TIMEOUT_MS = 400;
const SEED = { "a.md": "first", "b/Ä 🧠.md": "second\r\n", "b/a.md": "", "bb.md": "\uFEFFthird" };

/** Every case that a mutant failed. */
const sharp = new Set<string>();

type Cases = Map<string, () => Promise<void>>;

type AnyDefinition = Omit<DataBlockDefinition<MemorySourceOptions, BlockCapability>, "open"> & {
  open(...args: Parameters<typeof memorySource.open>): Promise<BlockReader>;
};

function blockCases(source: AnyDefinition, more: { seed?: Record<string, string>; timeoutMs?: number } = {}): Cases {
  const cases: Cases = new Map();
  const options = () => ({ store: createMemoryStore(more.seed) });
  testDataBlock({ test: (id, body) => cases.set(id, body), source: source as never, options, ...more });
  return cases;
}

function streamCases(source: DataStreamDefinition<MemoryStreamOptions>, timeoutMs = 10_000): Cases {
  const cases: Cases = new Map();
  testDataStream({ test: (id, body) => cases.set(id, body), source, timeoutMs, ...feeding });
  return cases;
}

const feeding = {
  options: () => ({ feed: createMemoryFeed() }),
  provoke({ feed }: { feed: MemoryFeed }, count: number) {
    for (let n = 0; n < count; n++) emit(feed, `event ${n}`);
  },
};

async function failuresOf(cases: Cases): Promise<string[]> {
  const failed = await Promise.all(
    [...cases].map(async ([id, body]) => {
      const passed = await body().then(
        () => true,
        () => false,
      );
      return passed ? [] : [id];
    }),
  );
  for (const id of failed.flat()) sharp.add(id);
  return failed.flat();
}

describe("the reference sources keep every promise", () => {
  testDataBlock({ test, source: memorySource, options: () => ({ store: createMemoryStore() }) });
  testDataStream({ test, source: memoryStream, ...feeding });
});

describe("a source that cannot write is proven by its seed", () => {
  testDataBlock({ test, source: readOnly(), options: () => ({ store: createMemoryStore(SEED) }), seed: SEED });
});

test("a source that can write may have a seed as well, apart from the paths of the cases", async () => {
  expect(await failuresOf(blockCases(memorySource, { seed: { "seed/a.md": "a", "seed/b.md": "b" } }))).toEqual([]);
  expect(() => blockCases(memorySource, { seed: { "a.md": "a" } })).toThrow('begin with "seed/"');
});

test.each(Object.entries(BLOCK_MUTANTS))("the suite notices: %s", async (_, mutation) => {
  const failed = await failuresOf(blockCases(mutate(mutation), { timeoutMs: MUTANT_TIMEOUT_MS }));
  expect(failed).not.toEqual([]);
});

test.each(Object.entries(DEFINITION_MUTANTS))("the suite notices a definition that %s", async (_, definition) => {
  expect(await failuresOf(blockCases(definition))).not.toEqual([]);
});

const READING = Object.entries(BLOCK_MUTANTS).filter(
  ([name]) => /^(read|list)/.test(name) && !/absent|removed|prototype|aborted/.test(name),
);

test.each(READING)("the seed alone shows in a read-only source: %s", async (_, mutation) => {
  const mutant = readOnly(mutate(mutation));
  const seed = { ...SEED, "ｆ.md": "full width", "🧠.md": "brain", "_x.md": "", "ax.md": "", "A.md": "" };
  expect(await failuresOf(blockCases(mutant, { seed, timeoutMs: MUTANT_TIMEOUT_MS }))).not.toEqual([]);
});

test.each(Object.entries(STREAM_MUTANTS))("the suite notices a stream where %s", async (_, mutation) => {
  expect(await failuresOf(streamCases(mutateStream(mutation), MUTANT_TIMEOUT_MS))).not.toEqual([]);
});

test.each(Object.entries(STREAM_DEFINITION_MUTANTS))("the suite notices a stream that %s", async (_, definition) => {
  expect(await failuresOf(streamCases(definition))).not.toEqual([]);
});

test("no case is blunt: each is failed by some mutant", () => {
  const all = [...blockCases(memorySource, { seed: { "seed/a.md": "a" } }).keys(), ...streamCases(memoryStream).keys()];
  expect(all.filter((id) => !sharp.has(id))).toEqual([]);
});

test("there are as many mutants as were promised", () => {
  expect(Object.keys(BLOCK_MUTANTS).length).toBeGreaterThanOrEqual(25);
  expect(Object.keys(STREAM_MUTANTS).length).toBeGreaterThanOrEqual(6);
});

function readOnly(definition: AnyDefinition = memorySource): DataBlockDefinition<MemorySourceOptions, never> {
  return {
    ...definition,
    capabilities: [],
    async open(options, host) {
      const inner = await definition.open(options, host);
      return {
        read: (path, settings) => inner.read(path, settings),
        list: (prefix, settings) => inner.list(prefix, settings),
      };
    },
  };
}
