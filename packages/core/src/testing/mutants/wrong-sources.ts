import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TextCapability, TextReader, DataBlockDefinition, DataStreamDefinition } from "../../source/source.ts";
import type { Texts } from "../block-case.ts";
import { type DataBlockSuite, testDataBlock } from "../data-block-suite.ts";
import { testDataStream } from "../data-stream-suite.ts";
import { jsonFile } from "../fixtures/json-file.mjs";
import { createMemoryStore, memorySource, type MemorySourceOptions, type MemoryStore } from "../memory-source.ts";
import { createMemoryFeed, emit, type MemoryFeed, type MemoryStreamOptions } from "../memory-stream.ts";
import { BLOCK_MUTANTS, DEFINITION_MUTANTS, mutate } from "./block-mutants.ts";
import type { Mutation } from "./mutation.ts";
import { PROCESS_MISTAKES } from "./process-mutants.ts";
import { issuePath, SHAPED_MUTANTS } from "./shaped-mutants.ts";
import { mutateStream, STREAM_DEFINITION_MUTANTS, STREAM_MUTANTS } from "./stream-mutants.ts";

/** The cases of a suite, by id. */
export type Cases = ReadonlyMap<string, () => Promise<void>>;

/** A source that breaks a promise, and the suite as its author would run it. */
export interface WrongSource {
  readonly group: string;
  readonly name: string;
  readonly cases: (timeoutMs: number) => Cases;
}

type AnyDefinition = Omit<DataBlockDefinition<MemorySourceOptions, TextCapability>, "open"> & {
  open(...args: Parameters<typeof memorySource.open>): Promise<TextReader>;
};

type Given = Partial<Pick<DataBlockSuite<never, never>, "seed" | "put" | "paths" | "timeoutMs" | "options" | "module">>;

/** What a template begins with: two plain files. */
export const PLAIN_SEED: Readonly<Record<string, string>> = { "README.md": "# Hello\n", "docs/a.md": "one" };

/** Changes that a list of two plain files cannot show, nor can a source that nobody writes to. */
const UNSEEN_READ_ONLY: ReadonlySet<string> = new Set([
  "list goes by offsets", // shows only while something is removed
  "list has the last of a page twice", // shows only in long lists
  "read gives a folder's list", // a server may have a page there
  "read hangs when aborted", // the reader below passes no signal
  "close throws the second time", // the reader below has no close
  "close closes every instance",
  "close never ends",
]);

export function blockCases(source: AnyDefinition, given: Given = {}): Cases {
  const cases = new Map<string, () => Promise<void>>();
  const options = () => ({ store: createMemoryStore(given.seed) });
  testDataBlock({ test: (id, body) => cases.set(id, body), source: source as never, options, ...given });
  return cases;
}

export function streamCases(source: DataStreamDefinition<MemoryStreamOptions>, timeoutMs = 10_000): Cases {
  const cases = new Map<string, () => Promise<void>>();
  testDataStream({ test: (id, body) => cases.set(id, body), source, timeoutMs, ...feeding });
  return cases;
}

export const feeding: {
  readonly options: () => unknown;
  readonly provoke: (options: { feed: MemoryFeed }, count: number) => void;
} = {
  options: () => ({ feed: createMemoryFeed() }),
  provoke({ feed }, count) {
    for (let n = 0; n < count; n++) emit(feed, `event ${n}`);
  },
};

/** Puts texts into a store as another program would. */
export async function putIntoStore({ store }: { store: MemoryStore }, texts: Texts): Promise<void> {
  const host = { mount: "outside", signal: new AbortController().signal, services: {}, warn: () => {} };
  const outside = await memorySource.open({ store }, host);
  for (const [path, text] of Object.entries(texts)) {
    if (text !== undefined) await outside.write(path, text);
    else await outside.remove(path);
  }
}

/** The source without its ways to change anything. */
export function readOnly(definition: AnyDefinition = memorySource): DataBlockDefinition<MemorySourceOptions, never> {
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

/** The source over one file that two processes share, making `mistake`. */
export function sharedFileCases(mistake: string | undefined, timeoutMs = 10_000): Cases {
  const cases = new Map<string, () => Promise<void>>();
  const folder = mkdtempSync(join(tmpdir(), "ikigai-shared-"));
  let files = 0;
  testDataBlock({
    test: (id, body) => cases.set(id, body),
    source: jsonFile,
    module: new URL("../fixtures/json-file.mjs", import.meta.url),
    timeoutMs,
    options() {
      const file = join(folder, `${++files}.json`);
      writeFileSync(file, "{}");
      return { file, ...(mistake !== undefined && { mistake }) };
    },
  });
  return cases;
}

function group(
  name: string,
  mutants: Readonly<Record<string, Mutation>>,
  cases: (mutation: Mutation, timeoutMs: number) => Cases,
): WrongSource[] {
  return Object.entries(mutants).map(([mutant, mutation]) => ({
    group: name,
    name: mutant,
    cases: (timeoutMs) => cases(mutation, timeoutMs),
  }));
}

const reading = Object.fromEntries(
  Object.entries(BLOCK_MUTANTS).filter(
    ([name]) => /^(reads?|list|version|close) /.test(name) && !UNSEEN_READ_ONLY.has(name),
  ),
);

/** What two plain files show. The rest needs texts of the suite's own choice. */
const UNSEEN_IN_PLAIN_SEED =
  /^version|first 1|page by page|1 MiB|blocks|NFC|byte order|CRLF|prototype|removed|UTF-16|locale|hidden|empty texts|treats empty|deep|remember|JSON|decodes|made once|pattern|not bytes|line end$|stopped/;

const plain = Object.fromEntries(Object.entries(reading).filter(([name]) => !UNSEEN_IN_PLAIN_SEED.test(name)));

export const WRONG_SOURCES: readonly WrongSource[] = [
  ...group("Sources that can write", BLOCK_MUTANTS, (mutation, timeoutMs) =>
    blockCases(mutate(mutation), { timeoutMs }),
  ),
  ...Object.entries(DEFINITION_MUTANTS).map(([name, definition]) => ({
    group: "Definitions",
    name: `a block that ${name}`,
    cases: (timeoutMs: number) => blockCases(definition, { timeoutMs }),
  })),
  ...group("Sources that cannot write, with a seed of two plain files", plain, (mutation, timeoutMs) =>
    blockCases(readOnly(mutate(mutation)), { seed: PLAIN_SEED, timeoutMs }),
  ),
  ...group("Sources that cannot write, with `put`", reading, (mutation, timeoutMs) =>
    blockCases(readOnly(mutate(mutation)), { put: putIntoStore, timeoutMs }),
  ),
  ...group("Sources that others write to, with `put`", watchingOutside(), (mutation, timeoutMs) =>
    blockCases(mutate(mutation), { put: putIntoStore, timeoutMs }),
  ),
  ...group("Sources with paths of a shape", SHAPED_MUTANTS, (mutation, timeoutMs) =>
    blockCases(mutate(mutation), { paths: issuePath, timeoutMs }),
  ),
  ...PROCESS_MISTAKES.map((name) => ({
    group: "Sources between two processes",
    name,
    cases: (timeoutMs: number) => sharedFileCases(name, timeoutMs),
  })),
  ...Object.entries(STREAM_MUTANTS).map(([name, mutation]) => ({
    group: "Streams",
    name,
    cases: (timeoutMs: number) => streamCases(mutateStream(mutation), timeoutMs),
  })),
  ...Object.entries(STREAM_DEFINITION_MUTANTS).map(([name, definition]) => ({
    group: "Definitions",
    name: `a stream that ${name}`,
    cases: (timeoutMs: number) => streamCases(definition, timeoutMs),
  })),
];

/** Sources that see and remember only what was written through them. */
function watchingOutside(): Record<string, Mutation> {
  return {
    "watch sees only what was written through the source": (good) => {
      const own = new Set<string>();
      return {
        write(path, text, options) {
          own.add(path);
          return good.write(path, text, options);
        },
        async *watch(options) {
          for await (const one of good.watch(options)) if (own.has(one.path)) yield one;
        },
      };
    },
    "history has only what was written through the source": (good) => {
      const own = new Set<string>();
      return {
        async write(path, text, options) {
          const written = await good.write(path, text, options);
          own.add(written.version);
          return written;
        },
        async *history(path) {
          for await (const one of good.history(path)) if (own.has(one.version)) yield one;
        },
      };
    },
    "write overwrites what others put there": (good) => {
      const own = new Map<string, string>();
      return {
        async write(path, text, { expected, ...rest } = {}) {
          const mine = expected !== undefined && own.get(path) === expected;
          const written = await good.write(path, text, expected === undefined || mine ? rest : { ...rest, expected });
          own.set(path, written.version);
          return written;
        },
      };
    },
  };
}
