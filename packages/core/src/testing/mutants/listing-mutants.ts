import { compareCodePoints } from "../../address.ts";
import type { TextEntry } from "../../source/source.ts";
import type { GoodSource, Mutation } from "./mutation.ts";

/** Sources that list too little, too much or in the wrong order. */
export const LISTING_MUTANTS: Readonly<Record<string, Mutation>> = {
  "list is sorted page by page": (good, store) => ({
    async *list(prefix) {
      const entries = await all(good, prefix);
      const order = [...store.revisions.keys()];
      const stored = entries.toSorted((a, b) => order.indexOf(a.path) - order.indexOf(b.path));
      for (let at = 0; at < stored.length; at += 100) {
        yield* stored.slice(at, at + 100).toSorted((a, b) => compareCodePoints(a.path, b.path));
      }
    },
  }),
  "list is the first 100": (good) => ({ list: (prefix) => changed(good, prefix, (entries) => entries.slice(0, 100)) }),
  "list is the first 1,000": (good) => ({
    list: (prefix) => changed(good, prefix, (entries) => entries.slice(0, 1_000)),
  }),
  "list has the last of a page twice": (good) => ({
    list: (prefix) =>
      changed(good, prefix, (entries) => entries.flatMap((one, at) => (at % 100 === 99 ? [one, one] : [one]))),
  }),
  "list leaves out the last": (good) => ({
    list: (prefix) => changed(good, prefix, (entries) => entries.slice(0, -1)),
  }),
  "list leaves out hidden names": (good) => ({
    list: (prefix) => only(good, prefix, ({ path }) => !/(^|\/)\./.test(path)),
  }),
  "list leaves out empty texts": (good) => ({ list: (prefix) => only(good, prefix, ({ bytes }) => bytes !== 0) }),
  "list leaves out what lies deep": (good) => ({
    list: (prefix) => only(good, prefix, ({ path }) => path.split("/").length < 3),
  }),
  "list is of the top folder only": (good) => ({
    list: (prefix) => only(good, prefix, ({ path }) => !path.slice(prefix.length).includes("/")),
  }),
  "list shows folders too": (good) => ({
    list: (prefix) =>
      changed(good, prefix, (entries) => {
        const folders = entries.flatMap(({ path }) =>
          path.includes("/") ? [path.slice(0, path.lastIndexOf("/"))] : [],
        );
        const paths = new Set([...entries.map(({ path }) => path), ...folders]);
        return [...paths].toSorted(compareCodePoints).map((path) => ({ path }));
      }),
  }),
  "list begins paths with a slash": (good) => ({
    list: (prefix) => changed(good, prefix, (entries) => entries.map((one) => ({ ...one, path: `/${one.path}` }))),
  }),
  "list gives paths below the prefix": (good) => ({
    list: (prefix) =>
      changed(good, prefix, (entries) => entries.map((one) => ({ ...one, path: one.path.slice(prefix.length) }))),
  }),
  "list compares prefixes after NFC": (good) => ({
    list: (prefix) => only(good, "", ({ path }) => path.normalize("NFC").startsWith(prefix.normalize("NFC"))),
  }),
  "list compares prefixes without case": (good) => ({
    list: (prefix) => only(good, "", ({ path }) => path.toLowerCase().startsWith(prefix.toLowerCase())),
  }),
  "list takes the prefix for a part": (good) => ({
    list: (prefix) => only(good, "", ({ path }) => path.includes(prefix)),
  }),
  "list trims the prefix": (good) => ({ list: (prefix) => good.list(prefix.trim()) }),
  "list decodes the prefix": (good) => ({
    list: (prefix) => good.list(prefix.replaceAll("%20", " ").replaceAll("%2F", "/")),
  }),
  "list takes the prefix for a regular expression": (good) => ({
    list(prefix) {
      let pattern = /^$/;
      try {
        pattern = new RegExp(`^${prefix}`);
      } catch {}
      return only(good, "", ({ path }) => pattern.test(path));
    },
  }),
  "list is made once": (good) => {
    const made = new Map<string, TextEntry[]>();
    return {
      async *list(prefix) {
        if (!made.has(prefix)) made.set(prefix, await all(good, prefix));
        yield* made.get(prefix) ?? [];
      },
    };
  },
  "list goes on where the last one stopped": (good) => {
    let at = 0;
    return {
      async *list(prefix) {
        const entries = await all(good, prefix);
        for (; at < entries.length; at++) yield entries[at] as TextEntry;
        at = 0;
      },
    };
  },
  "list goes by offsets": (good) => ({
    async *list(prefix) {
      for (let at = 0; ; at += 2) {
        const page = (await all(good, prefix)).slice(at, at + 2);
        if (page.length === 0) return;
        yield* page;
      }
    },
  }),
  "list ends when somebody stops early": (good) => {
    let left = false;
    return {
      async *list(prefix) {
        if (left) return;
        left = true;
        yield* good.list(prefix);
        left = false;
      },
    };
  },
  "list has a time that is none": (good) => ({
    list: (prefix) =>
      changed(good, prefix, (entries) => entries.map((one) => ({ ...one, modifiedAt: new Date("then") }))),
  }),
};

async function all(good: GoodSource, prefix: string): Promise<TextEntry[]> {
  const entries: TextEntry[] = [];
  for await (const entry of good.list(prefix)) entries.push(entry);
  return entries;
}

async function* changed(
  good: GoodSource,
  prefix: string,
  change: (entries: TextEntry[]) => TextEntry[],
): AsyncGenerator<TextEntry> {
  yield* change(await all(good, prefix));
}

function only(good: GoodSource, prefix: string, keep: (entry: TextEntry) => boolean): AsyncGenerator<TextEntry> {
  return changed(good, prefix, (entries) => entries.filter(keep));
}
