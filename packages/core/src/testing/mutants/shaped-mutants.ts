import { IkigaiError } from "../../errors.ts";
import type { TextEntry } from "../../source/source.ts";
import type { GoodSource, Mutation } from "./mutation.ts";

/** The paths of a source of numbered issues. */
export const issuePath = (index: number): string => `issues/${index + 1}.md`;

const SHAPE = /^issues\/(?:[1-9]\d*)\.md$/;
const numberOf = (path: string): number => Number(/\d+/.exec(path)?.[0]);

/** The reference source, taking only the paths of issues. */
export const ISSUES: Mutation = (good) => ({
  async write(path, text, options) {
    if (!SHAPE.test(path)) throw new IkigaiError("invalid_input", `"${path}" is no issue`);
    return good.write(path, text, options);
  },
});

/** Sources of issues that take paths wrongly. */
export const SHAPED_MUTANTS: Readonly<Record<string, Mutation>> = {
  "another shape is a defect": (good, store) => ({
    ...ISSUES(good, store),
    async write(path, text, options) {
      if (!SHAPE.test(path)) throw new TypeError(`"${path}" is no issue`);
      return good.write(path, text, options);
    },
  }),
  "another shape is taken and forgotten": (good) => ({
    write: async (path, text, options) => (SHAPE.test(path) ? good.write(path, text, options) : { text, version: "1" }),
  }),
  "another shape is the first issue": (good) => ({
    write: (path, text, options) => good.write(SHAPE.test(path) ? path : issuePath(0), text, options),
  }),
  "every path is taken": () => ({}),
  "issues are listed by number": (good, store) => ({
    ...ISSUES(good, store),
    async *list(prefix) {
      yield* (await all(good, prefix)).toSorted((a, b) => numberOf(a.path) - numberOf(b.path));
    },
  }),
  "a number is read with zeros before it": (good, store) => ({
    ...ISSUES(good, store),
    read: (path) => good.read(path.replace(/\/0+/, "/")),
  }),
  "issues above nine are refused": (good, store) => ({
    ...ISSUES(good, store),
    async write(path, text, options) {
      if (!SHAPE.test(path) || numberOf(path) > 9) throw new IkigaiError("invalid_input", path);
      return good.write(path, text, options);
    },
  }),
  "issues are saved without looking": (good, store) => ({
    ...ISSUES(good, store),
    async write(path, text, { expected: _, ...rest } = {}) {
      if (!SHAPE.test(path)) throw new IkigaiError("invalid_input", path);
      return good.write(path, text, rest);
    },
  }),
};

async function all(good: GoodSource, prefix: string): Promise<TextEntry[]> {
  const entries: TextEntry[] = [];
  for await (const entry of good.list(prefix)) entries.push(entry);
  return entries;
}
