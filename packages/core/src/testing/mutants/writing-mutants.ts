import { IkigaiError } from "../../errors.ts";
import type { Mutation } from "./mutation.ts";

/** A moment in which another writer can get ahead. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

/** Sources that write or remove wrongly. */
export const WRITING_MUTANTS: Readonly<Record<string, Mutation>> = {
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
};

function without<T extends object>(key: string, options: T | undefined): T {
  return Object.fromEntries(Object.entries(options ?? {}).filter(([name]) => name !== key)) as T;
}
