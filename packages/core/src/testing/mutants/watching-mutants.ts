import { IkigaiError } from "../../errors.ts";
import type { TextChange, TextRevision } from "../../source/source.ts";
import type { GoodSource, Mutation } from "./mutation.ts";

/** Sources that watch or remember wrongly. */
export const WATCHING_MUTANTS: Readonly<Record<string, Mutation>> = {
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
};

async function* changed(
  changes: AsyncIterable<TextChange>,
  change: (one: TextChange) => readonly TextChange[],
): AsyncGenerator<TextChange> {
  for await (const one of changes) yield* change(one);
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
