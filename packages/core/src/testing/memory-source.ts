import { compareCodePoints } from "../address.ts";
import { IkigaiError } from "../errors.ts";
import type { CheckingSchema } from "../tool/schema.ts";
import {
  type TextChange,
  type TextContent,
  type TextRevision,
  type DataBlock,
  type DataBlockDefinition,
  defineDataBlock,
} from "../source/source.ts";
import { createQueue } from "./queue.ts";

/** Where {@link memorySource} keeps its text. Sources opened over the same store see the same. */
export interface MemoryStore {
  /** Newest last; a removed path ends with `undefined`. */
  readonly revisions: Map<string, (TextRevision | undefined)[]>;
  readonly watchers: Set<(change: TextChange) => void>;
  /** Counts the writes. */
  clock: number;
}

export interface MemorySourceOptions {
  /** Default: one that nobody else sees. */
  readonly store?: MemoryStore;
}

export function createMemoryStore(texts: Readonly<Record<string, string>> = {}): MemoryStore {
  const store: MemoryStore = { revisions: new Map(), watchers: new Set(), clock: 0 };
  for (const [path, text] of Object.entries(texts)) commit(store, path, text);
  return store;
}

/**
 * The reference source: every capability, in memory.
 *
 * Contract: keeps what the contract promises and adds nothing, so that a test may use it wherever a source is needed.
 */
export const memorySource: DataBlockDefinition<MemorySourceOptions, "write" | "remove" | "watch" | "history"> =
  defineDataBlock({
    name: "memory",
    storage: "process",
    capabilities: ["write", "remove", "watch", "history"],
    options: memoryOptions("store"),
    open: async ({ store = createMemoryStore() }) => openStore(store),
  });

function openStore(store: MemoryStore): DataBlock<"write" | "remove" | "watch" | "history"> {
  const present = (path: string): TextRevision | undefined => store.revisions.get(path)?.at(-1);

  return {
    async read(path) {
      const found = present(path);
      return found && contentOf(found);
    },
    async *list(prefix) {
      for (const path of [...store.revisions.keys()].toSorted(compareCodePoints)) {
        const found = path.startsWith(prefix) ? present(path) : undefined;
        if (found !== undefined) yield { path, bytes: Buffer.byteLength(found.text), modifiedAt: found.at };
      }
    },
    async write(path, text, { expected, signal } = {}) {
      signal?.throwIfAborted();
      const found = present(path);
      if (expected !== undefined && expected !== (found?.version ?? null)) throw changed(path, found);
      return contentOf(commit(store, path, text) as TextRevision);
    },
    async remove(path, { expected, signal } = {}) {
      signal?.throwIfAborted();
      const found = present(path);
      if (found === undefined) throw new IkigaiError("not_found", `There is no "${path}"`);
      if (expected !== undefined && expected !== found.version) throw changed(path, found);
      commit(store, path, undefined);
    },
    watch({ signal }) {
      const { push, values } = createQueue<TextChange>(signal, () => store.watchers.delete(push));
      store.watchers.add(push);
      return values;
    },
    async *history(path) {
      for (const revision of (store.revisions.get(path) ?? []).toReversed()) if (revision !== undefined) yield revision;
    },
  };
}

function commit(store: MemoryStore, path: string, text: string | undefined): TextRevision | undefined {
  const past = store.revisions.get(path) ?? [];
  const before = past.at(-1);
  const revision = text === undefined ? undefined : { version: `v${++store.clock}`, at: new Date(), text };
  store.revisions.set(path, [...past, revision]);
  const change = revision === undefined ? "removed" : before === undefined ? "created" : "updated";
  for (const watcher of store.watchers) watcher({ path, change });
  return revision;
}

function contentOf({ text, version }: TextRevision): TextContent {
  return { text, version };
}

function changed(path: string, found: TextRevision | undefined): IkigaiError {
  const state = found === undefined ? "does not exist" : `is at ${found.version}`;
  return new IkigaiError("conflict", `"${path}" ${state}, which is not what the caller saw`, {
    hint: "Read it again.",
  });
}

/** A schema by hand, since core depends on no library of schemas: an object with at most the field `field`. */
export function memoryOptions<Options>(field: string): CheckingSchema<Options> {
  return {
    "~standard": {
      version: 1,
      vendor: "ikigai",
      validate: (value) =>
        typeof value === "object" && value !== null && Object.keys(value).every((key) => key === field)
          ? { value: value as Options }
          : { issues: [{ message: `expected an object with at most the field "${field}"` }] },
    },
  };
}
