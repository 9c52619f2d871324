import { IkigaiError } from "../../errors.ts";
import type { TextChange, TextRevision } from "../../source/source.ts";
import type { MemoryStore } from "../memory-source.ts";
import type { GoodSource, Mutation } from "./mutation.ts";

/** Sources that write, remove, watch or remember wrongly in ways that only a second look shows. */
export const KEEPING_MUTANTS: Readonly<Record<string, Mutation>> = {
  "write cuts above 1 MiB": (good) => ({
    write: (path, text, options) => good.write(path, text.slice(0, 1_048_576), options),
  }),
  "write takes the beginning of a version": comparing((version, expected) => version.startsWith(expected)),
  "write takes an empty version for any": comparing((version, expected) => expected === "" || version === expected),
  "write trims the version": comparing((version, expected) => version === expected.trim()),
  "write takes the version of any path": (good, store) => ({
    async write(path, text, { expected, ...rest } = {}) {
      const versions = [...store.revisions.values()].map((all) => all.at(-1)?.version);
      const known = typeof expected === "string" && versions.includes(expected);
      return good.write(path, text, expected === undefined || known ? rest : { ...rest, expected });
    },
  }),
  "write takes any version that ever was": (good, store) => ({
    async write(path, text, { expected, ...rest } = {}) {
      const versions = (store.revisions.get(path) ?? []).map((one) => one?.version);
      const known = typeof expected === "string" && versions.includes(expected);
      return good.write(path, text, expected === undefined || known ? rest : { ...rest, expected });
    },
  }),
  "write replaces a folder": (good, store) => ({
    write(path, text, options) {
      for (const other of store.revisions.keys()) if (other.startsWith(`${path}/`)) store.revisions.delete(other);
      return good.write(path, text, options);
    },
  }),
  "write changes a neighbour": (good) => ({
    async write(path, text, options) {
      const before = (await good.read(path)) === undefined;
      const written = await good.write(path, text, options);
      if (!before && (await good.read(`${path}.bak`)) !== undefined) await good.write(`${path}.bak`, text);
      return written;
    },
  }),
  "write leaves its lock when aborted": (good) => {
    let locked = false;
    return {
      async write(path, text, options = {}) {
        options.signal?.throwIfAborted();
        if (locked) return new Promise(() => {});
        locked = true;
        for (let at = 0; at < 3; at++) await Promise.resolve();
        options.signal?.throwIfAborted();
        locked = false;
        return good.write(path, text, options);
      },
    };
  },
  "write refuses a reason": (good) => ({
    async write(path, text, options) {
      if (options?.reason !== undefined) throw new IkigaiError("invalid_input", "reason");
      return good.write(path, text, options);
    },
  }),
  "remove takes the folder below": (good, store) => ({
    async remove(path, options) {
      const below = [...store.revisions.keys()].filter((other) => other.startsWith(`${path}/`));
      for (const other of below) store.revisions.delete(other);
      if (below.length === 0 || (await good.read(path)) !== undefined) await good.remove(path, options);
    },
  }),
  "remove ignores case": (good, store) => ({
    async remove(path, options) {
      await good.remove(path, options);
      for (const other of store.revisions.keys())
        if (other.toLowerCase() === path.toLowerCase()) store.revisions.delete(other);
    },
  }),
  "remove takes any version that ever was": (good, store) => ({
    async remove(path, { expected, ...rest } = {}) {
      const versions = (store.revisions.get(path) ?? []).map((one) => one?.version);
      return good.remove(path, expected === undefined || versions.includes(expected) ? rest : { ...rest, expected });
    },
  }),
  "an aborted write leaves a history entry": afterAbort((path, store, text) => {
    const all = store.revisions.get(path);
    if (all === undefined) store.revisions.set(path, [revision(text), undefined]);
    else all.splice(-1, 0, revision(text));
  }),
  "an aborted write is reported": afterAbort((path, store) => {
    for (const watcher of store.watchers) watcher({ path, change: "updated" });
  }),
  "a refused removal is reported": (good, store) => ({
    async remove(path, options) {
      try {
        await good.remove(path, options);
      } catch (error) {
        for (const watcher of store.watchers) watcher({ path, change: "removed" });
        throw error;
      }
    },
  }),
  "watch keeps only the newest event": (good) => ({
    async *watch(options) {
      let newest: TextChange | undefined;
      let wake = (): void => {};
      const pump = (async () => {
        for await (const one of good.watch(options)) {
          newest = one;
          wake();
        }
        wake();
      })();
      while (!options.signal.aborted) {
        if (newest === undefined) await new Promise<void>((resolve) => (wake = resolve));
        const one: TextChange | undefined = newest;
        newest = undefined;
        if (one !== undefined) yield one;
      }
      await pump;
    },
  }),
  "watch stops after ten": (good) => ({
    async *watch(options) {
      let count = 0;
      for await (const one of good.watch(options)) if (count++ < 10) yield one;
    },
  }),
  "watch swallows what comes within 50 ms": (good) => ({
    async *watch(options) {
      let last = -Infinity;
      for await (const one of good.watch(options)) {
        if (performance.now() - last < 50) continue;
        last = performance.now();
        yield one;
      }
    },
  }),
  "watch swallows updates of a path within 50 ms": (good) => ({
    async *watch(options) {
      const last = new Map<string, number>();
      for await (const one of good.watch(options)) {
        const soon = performance.now() - (last.get(one.path) ?? -Infinity) < 50;
        last.set(one.path, performance.now());
        if (!soon || one.change !== "updated") yield one;
      }
    },
  }),
  "watch reports each path once": (good) => ({
    async *watch(options) {
      const known = new Set<string>();
      for await (const one of good.watch(options)) {
        if (!known.has(one.path)) yield one;
        known.add(one.path);
      }
    },
  }),
  "watch takes a new life for an update": (good) => ({
    async *watch(options) {
      const known = new Set<string>();
      for await (const one of good.watch(options)) {
        yield known.has(one.path) && one.change === "created" ? { ...one, change: "updated" } : one;
        known.add(one.path);
      }
    },
  }),
  "watch ends when any instance closes": (_, store) => ({
    async close() {
      store.watchers.clear();
    },
  }),
  "watch works once": (good) => {
    let used = false;
    return {
      watch(options) {
        if (used) return good.watch({ signal: AbortSignal.abort() });
        used = true;
        return good.watch(options);
      },
    };
  },
  "history mixes paths with a common beginning": (_, store) => ({
    async *history(path) {
      const mixed = [...store.revisions].filter(([other]) => other.startsWith(path)).flatMap(([, all]) => all);
      for (const one of mixed.toReversed()) if (one !== undefined) yield one;
    },
  }),
  "history ignores case": (_, store) => ({
    async *history(path) {
      const same = [...store.revisions].filter(([other]) => other.toLowerCase() === path.toLowerCase());
      for (const one of same.flatMap(([, all]) => all).toReversed()) if (one !== undefined) yield one;
    },
  }),
  "history of a folder is that of what is inside": (good, store) => ({
    async *history(path) {
      const inside = [...store.revisions].filter(([other]) => other.startsWith(`${path}/`)).flatMap(([, all]) => all);
      yield* good.history(path);
      for (const one of inside) if (one !== undefined) yield one;
    },
  }),
  "history is the last ten": (good) => ({ history: (path) => past(good, path, (all) => all.slice(0, 10)) }),
  "history folds line ends": (good) => ({
    history: (path) =>
      past(good, path, (all) => all.map((one) => ({ ...one, text: one.text.replaceAll("\r\n", "\n") }))),
  }),
  "history ends with a removal": (good, store) => ({
    async remove(path, options) {
      await good.remove(path, options);
      store.revisions.delete(path);
    },
  }),
  "history is consumed by a reader that leaves": (good) => {
    let left = false;
    return {
      async *history(path) {
        if (left) return;
        left = true;
        yield* good.history(path);
        left = false;
      },
    };
  },
};

function revision(text: string): TextRevision {
  return { version: "aborted", at: new Date(), text };
}

/** Compares versions its own way. */
function comparing(same: (version: string, expected: string) => boolean): Mutation {
  return (good) => ({
    async write(path, text, { expected, ...rest } = {}) {
      const found = await good.read(path);
      const taken = typeof expected === "string" && found !== undefined && same(found.version, expected);
      return good.write(
        path,
        text,
        expected === undefined ? rest : { ...rest, expected: taken ? found.version : expected },
      );
    },
  });
}

/** Leaves something behind when the signal was aborted already. */
function afterAbort(leave: (path: string, store: MemoryStore, text: string) => void): Mutation {
  return (good, store) => ({
    async write(path, text, options) {
      if (options?.signal?.aborted === true) leave(path, store, text);
      return good.write(path, text, options);
    },
  });
}

async function* past(
  good: GoodSource,
  path: string,
  change: (all: TextRevision[]) => TextRevision[],
): AsyncGenerator<TextRevision> {
  const all: TextRevision[] = [];
  for await (const one of good.history(path)) all.push(one);
  yield* change(all);
}
