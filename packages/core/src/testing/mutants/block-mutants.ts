import { IkigaiError } from "../../errors.ts";
import type { BlockChange, BlockEntry, BlockRevision, DataBlock, DataBlockDefinition } from "../../source.ts";
import { memorySource, type MemorySourceOptions, type MemoryStore } from "../memory-source.ts";

type Source = DataBlock<"write" | "remove" | "watch" | "history">;
type Definition = DataBlockDefinition<MemorySourceOptions, "write" | "remove" | "watch" | "history">;
type Mutation = (good: Source, store: MemoryStore) => Partial<Source>;

/** A moment in which another writer can get ahead. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

/** Sources that break one promise each. A suite that lets one pass proves too little. */
export const BLOCK_MUTANTS: Readonly<Record<string, Mutation>> = {
  "read gives null for absent": (good) => ({ read: async (path) => (await good.read(path)) ?? (null as never) }),
  "read rejects for absent": (good) => ({
    async read(path) {
      const found = await good.read(path);
      if (found === undefined) throw new IkigaiError("not_found", path);
      return found;
    },
  }),
  "read looks into the prototype": (good) => ({
    read: async (path) => (await good.read(path)) ?? (path in {} ? { text: path, version: "inherited" } : undefined),
  }),
  "read makes up a version": (good) => ({
    async read(path) {
      const found = await good.read(path);
      return found && { ...found, version: crypto.randomUUID() };
    },
  }),
  "read takes a byte order mark for its own": (good) => ({
    async read(path) {
      const found = await good.read(path);
      return found && { ...found, text: found.text.replace(/^\uFEFF/, "") };
    },
  }),
  "read hangs when aborted": (good) => ({
    read: (path, options) => (options?.signal?.aborted === true ? new Promise(() => {}) : good.read(path)),
  }),
  "read treats empty as absent": (good) => ({
    async read(path) {
      const found = await good.read(path);
      return found?.text === "" ? undefined : found;
    },
  }),
  "list is unsorted": (good) => ({ list: (prefix) => listed(good, prefix, (entries) => entries.toReversed()) }),
  "list sorts by UTF-16": (good) => ({
    list: (prefix) => listed(good, prefix, (entries) => entries.toSorted(byUnits)),
  }),
  "list sorts by locale": (good) => ({
    list: (prefix) => listed(good, prefix, (entries) => entries.toSorted(byLocale)),
  }),
  "list ignores the prefix": (good) => ({ list: () => good.list("") }),
  "list takes the prefix for a folder": (good) => ({
    list: (prefix) => good.list(prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`),
  }),
  "list takes the prefix for a pattern": (good) => ({
    list(prefix) {
      const pattern = new RegExp(
        `^${prefix
          .replaceAll(/[.[\]*]/g, String.raw`\$&`)
          .replaceAll("_", ".")
          .replaceAll("%", ".*")}`,
      );
      return listed(good, "", (entries) => entries.filter(({ path }) => pattern.test(path)));
    },
  }),
  "list shows what was removed": (_, store) => ({
    async *list(prefix) {
      for (const path of [...store.revisions.keys()].toSorted()) if (path.startsWith(prefix)) yield { path };
    },
  }),
  "list counts characters, not bytes": (good) => ({
    async *list(prefix) {
      for await (const entry of good.list(prefix)) {
        yield { ...entry, bytes: ((await good.read(entry.path))?.text ?? "").length };
      }
    },
  }),
  "list shows entries twice": (good) => ({
    list: (prefix) => listed(good, prefix, (entries) => entries.flatMap((e) => [e, e])),
  }),
  "write trims": (good) => ({ write: (path, text, options) => good.write(path, text.trim(), options) }),
  "write normalises line endings": (good) => ({
    write: (path, text, options) => good.write(path, text.replaceAll("\r\n", "\n"), options),
  }),
  "write replaces half pairs": (good) => ({
    write: (path, text, options) => good.write(path, text.toWellFormed(), options),
  }),
  "write drops NUL": (good) => ({
    write: (path, text, options) => good.write(path, text.replaceAll("\0", ""), options),
  }),
  "write cuts long text": (good) => ({
    write: (path, text, options) => good.write(path, text.slice(0, 65_536), options),
  }),
  "write normalises Unicode": (good) => ({
    write: (path, text, options) => good.write(path, text.normalize(), options),
  }),
  "write folds the path's case": (good) => ({
    read: (path) => good.read(path.toLowerCase()),
    write: (path, text, options) => good.write(path.toLowerCase(), text, options),
  }),
  "write decodes the path": (good) => ({
    read: (path) => good.read(path.replaceAll("%20", " ")),
    write: (path, text, options) => good.write(path.replaceAll("%20", " "), text, options),
  }),
  "write returns another version": (good) => ({
    write: async (path, text, options) => ({ ...(await good.write(path, text, options)), version: "latest" }),
  }),
  "write ignores expected": (good) => ({
    write: (path, text, options) => good.write(path, text, without("expected", options)),
  }),
  "write ignores expected null": (good) => ({
    write: (path, text, { expected, ...rest } = {}) =>
      good.write(path, text, expected === null || expected === undefined ? rest : { ...rest, expected }),
  }),
  "write takes any version for an absent path": (good) => ({
    async write(path, text, options = {}) {
      const absent = (await good.read(path)) === undefined;
      return good.write(path, text, absent ? without("expected", options) : options);
    },
  }),
  "write overwrites only what it wrote itself": (good) => {
    const own = new Map<string, string>();
    return {
      async write(path, text, options = {}) {
        const found = await good.read(path);
        const foreign = found !== undefined && found.version !== own.get(path);
        if (foreign && options.expected === undefined) throw new IkigaiError("conflict", path);
        const written = await good.write(path, text, options);
        own.set(path, written.version);
        return written;
      },
    };
  },
  "write conflicts with the wrong code": (good) => ({
    write: (path, text, options) =>
      good.write(path, text, options).catch((cause: unknown) => Promise.reject(new Error("stale", { cause }))),
  }),
  "write changes the text, then conflicts": (good) => ({
    async write(path, text, options = {}) {
      const { expected, ...rest } = options;
      const before = await good.read(path);
      if (expected !== undefined && expected !== (before?.version ?? null)) await good.write(path, text, rest);
      return good.write(path, text, options);
    },
  }),
  "write checks, then writes": (good) => ({
    async write(path, text, { expected, ...rest } = {}) {
      const seen = (await good.read(path))?.version ?? null;
      if (expected !== undefined && expected !== seen) throw new IkigaiError("conflict", path);
      await pause();
      return good.write(path, text, rest);
    },
  }),
  "write locks its own instance only": (good) => {
    let queue: Promise<unknown> = Promise.resolve();
    return {
      write(path, text, { expected, ...rest } = {}) {
        const step = queue.then(async () => {
          const seen = (await good.read(path))?.version ?? null;
          if (expected !== undefined && expected !== seen) throw new IkigaiError("conflict", path);
          await pause();
          return good.write(path, text, rest);
        });
        queue = step.catch(() => {});
        return step;
      },
    };
  },
  "write shows half of the text": (good) => ({
    async write(path, text, options = {}) {
      const { version } = await good.write(path, text.slice(0, text.length / 2), options);
      if (text.length > 1_000) await pause();
      return good.write(path, text, { expected: version });
    },
  }),
  "write forgets other paths": (good, store) => ({
    async write(path, text, options) {
      const before = new Map(store.revisions);
      await pause();
      const written = await good.write(path, text, options);
      const mine = store.revisions.get(path) ?? [];
      store.revisions.clear();
      for (const [other, revisions] of before) store.revisions.set(other, revisions);
      store.revisions.set(path, mine);
      return written;
    },
  }),
  "write ignores an aborted signal": (good) => ({
    write: (path, text, options) => good.write(path, text, without("signal", options)),
  }),
  "write is kept until close only": (_, store) => ({
    async close() {
      store.revisions.clear();
    },
  }),
  "remove is silent about absent": (good) => ({
    remove: (path, options) => good.remove(path, options).catch(() => {}),
  }),
  "remove does nothing": () => ({ remove: async () => {} }),
  "remove empties the text": (good) => ({ remove: async (path) => void (await good.write(path, "")) }),
  "remove ignores expected": (good) => ({ remove: (path, options) => good.remove(path, without("expected", options)) }),
  "remove checks, then removes": (good) => ({
    async remove(path, { expected, ...rest } = {}) {
      const seen = await good.read(path);
      if (seen === undefined) throw new IkigaiError("not_found", path);
      if (expected !== undefined && expected !== seen.version) throw new IkigaiError("conflict", path);
      await pause();
      await good.remove(path, rest).catch(() => {});
    },
  }),
  "remove takes everything below": (good, store) => ({
    async remove(path, options) {
      await good.remove(path, options);
      for (const other of store.revisions.keys()) if (other.startsWith(path)) store.revisions.delete(other);
    },
  }),
  "remove ignores an aborted signal": (good) => ({
    remove: (path, options) => good.remove(path, without("signal", options)),
  }),
  "remove lets the past write": (good) => {
    const removed = new Map<string, string>();
    return {
      async remove(path, options) {
        removed.set(path, (await good.read(path))?.version ?? "");
        await good.remove(path, options);
      },
      write(path, text, { expected, ...rest } = {}) {
        const past = expected !== undefined && expected !== null && removed.get(path) === expected;
        return good.write(path, text, expected === undefined || past ? rest : { ...rest, expected });
      },
    };
  },
  "watch reports nothing": (good) => ({
    watch: ({ signal }) => changed(good.watch({ signal }), () => []),
  }),
  "watch calls every change an update": (good) => ({
    watch: (options) => changed(good.watch(options), ({ path }) => [{ path, change: "updated" }]),
  }),
  "watch leaves out removals": (good) => ({
    watch: (options) => changed(good.watch(options), (one) => (one.change === "removed" ? [] : [one])),
  }),
  "watch reports what was there": (good) => ({
    async *watch(options) {
      const later = good.watch(options);
      if (!options.signal.aborted) for await (const { path } of good.list("")) yield { path, change: "created" };
      yield* later;
    },
  }),
  "watch throws on abort": (good) => ({
    async *watch(options) {
      yield* good.watch(options);
      options.signal.throwIfAborted();
    },
  }),
  "watch never ends": (good) => ({ watch: () => good.watch({ signal: new AbortController().signal }) }),
  "watch sees its own instance only": (good) => {
    const own = new Set<string>();
    return {
      write(path, text, options) {
        own.add(path);
        return good.write(path, text, options);
      },
      watch: (options) => changed(good.watch(options), (one) => (own.has(one.path) ? [one] : [])),
    };
  },
  "watch reports refused writes": (good, store) => ({
    async write(path, text, options) {
      try {
        return await good.write(path, text, options);
      } catch (error) {
        for (const watcher of store.watchers) watcher({ path, change: "updated" });
        throw error;
      }
    },
  }),
  "watch serves one watcher": (good, store) => ({
    watch(options) {
      store.watchers.clear();
      return good.watch(options);
    },
  }),
  "watch drops folders": (good) => ({
    watch: (options) => changed(good.watch(options), (one) => (one.path.includes("/") ? [] : [one])),
  }),
  "history is oldest first": (good) => ({ history: (path) => past(good, path, (all) => all.toReversed()) }),
  "history leaves out the present": (good) => ({ history: (path) => past(good, path, (all) => all.slice(1)) }),
  "history is the present only": (good) => ({ history: (path) => past(good, path, (all) => all.slice(0, 1)) }),
  "history has versions of its own": (good) => ({
    history: (path) => past(good, path, (all) => all.map((one, at) => ({ ...one, version: String(at) }))),
  }),
  "history mixes the paths": (_, store) => ({
    async *history() {
      for (const all of store.revisions.values()) for (const one of all.toReversed()) if (one) yield one;
    },
  }),
  "history rejects for absent": (good) => ({
    async *history(path) {
      if ((await good.read(path)) === undefined) throw new IkigaiError("not_found", path);
      yield* good.history(path);
    },
  }),
  "history keeps refused writes": (good, store) => ({
    async write(path, text, options) {
      try {
        return await good.write(path, text, options);
      } catch (error) {
        const revisions = store.revisions.get(path);
        if (IkigaiError.is(error, "conflict")) revisions?.unshift({ version: "refused", at: new Date(0), text });
        throw error;
      }
    },
  }),
  "close throws the second time": () => {
    let closed = false;
    return {
      async close() {
        if (closed) throw new Error("already closed");
        closed = true;
      },
    };
  },
  "close closes every instance": (good, store) => ({
    async close() {
      Object.assign(store, { closed: true });
    },
    async read(path) {
      if ("closed" in store) throw new IkigaiError("unavailable", "closed");
      return good.read(path);
    },
  }),
  "claims more than it has": () => ({ remove: undefined as never }),
};

/** The reference source with one mutation. */
export function mutate(mutation: Mutation): Definition {
  return {
    ...memorySource,
    async open(options, host) {
      const good = await memorySource.open(options, host);
      return { ...good, ...mutation(good, options.store as MemoryStore) };
    },
  };
}

/** Definitions that are broken as such. */
export const DEFINITION_MUTANTS: Readonly<Record<string, Definition>> = {
  "speaks another contract": { ...memorySource, contract: 2 as never },
  "claims less than it has": { ...memorySource, capabilities: ["write", "remove"] },
  "accepts any options": {
    ...memorySource,
    options: { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: value as never }) } },
  },
};

function without<T extends object>(key: string, options: T | undefined): T {
  return Object.fromEntries(Object.entries(options ?? {}).filter(([name]) => name !== key)) as T;
}

async function* listed(
  good: Source,
  prefix: string,
  change: (entries: BlockEntry[]) => BlockEntry[],
): AsyncGenerator<BlockEntry> {
  const entries: BlockEntry[] = [];
  for await (const entry of good.list(prefix)) entries.push(entry);
  yield* change(entries);
}

async function* changed(
  changes: AsyncIterable<BlockChange>,
  change: (one: BlockChange) => readonly BlockChange[],
): AsyncGenerator<BlockChange> {
  for await (const one of changes) yield* change(one);
}

async function* past(
  good: Source,
  path: string,
  change: (all: BlockRevision[]) => BlockRevision[],
): AsyncGenerator<BlockRevision> {
  const all: BlockRevision[] = [];
  for await (const one of good.history(path)) all.push(one);
  yield* change(all);
}

function byUnits(a: BlockEntry, b: BlockEntry): number {
  return a.path < b.path ? -1 : 1;
}

function byLocale(a: BlockEntry, b: BlockEntry): number {
  return a.path.localeCompare(b.path, "en");
}
