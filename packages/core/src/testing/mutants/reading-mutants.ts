import { IkigaiError } from "../../errors.ts";
import type { TextEntry } from "../../source/source.ts";
import type { GoodSource, Mutation } from "./mutation.ts";

/** Sources that read, list or close wrongly. */
export const READING_MUTANTS: Readonly<Record<string, Mutation>> = {
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

async function* listed(
  good: GoodSource,
  prefix: string,
  change: (entries: TextEntry[]) => TextEntry[],
): AsyncGenerator<TextEntry> {
  const entries: TextEntry[] = [];
  for await (const entry of good.list(prefix)) entries.push(entry);
  yield* change(entries);
}

function byUnits(a: TextEntry, b: TextEntry): number {
  return a.path < b.path ? -1 : 1;
}

function byLocale(a: TextEntry, b: TextEntry): number {
  return a.path.localeCompare(b.path, "en");
}
