import * as fc from "fast-check";
import { expect, test } from "vitest";
import { mergeLists, mergeTexts } from "./three-way.ts";

test("changes at different places are both there", () => {
  expect(mergeTexts("one two three", "ONE two three", "one two THREE")).toBe("ONE two THREE");
});

test("whatever either side inserted is there, and once", () => {
  const base = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n") });
  const marks = (first: number) => fc.array(fc.nat({ max: 40 }), { maxLength: 5 }).map((places) => ({ first, places }));
  const insert = (text: string, { first, places }: { first: number; places: readonly number[] }): string =>
    places.reduce((now, place, index) => {
      const at = Math.min(place, now.length);
      return `${now.slice(0, at)}${String.fromCodePoint(first + index)}${now.slice(at)}`;
    }, text);
  const cut = (text: string, at: number): string => text.slice(0, at) + text.slice(at + 2);
  fc.assert(
    fc.property(base, marks(0x4e00), marks(0x3041), fc.nat({ max: 20 }), (text, mine, other, at) => {
      const ours = insert(cut(text, at), mine);
      const theirs = insert(text, other);
      const merged = mergeTexts(text, ours, theirs);
      const inserted = (one: string): string[] => (one.match(/[^ab \n]/g) ?? []).toSorted();
      expect(inserted(merged)).toEqual([...inserted(ours), ...inserted(theirs)].toSorted());
    }),
    { numRuns: 500 },
  );
});

test("a side that changed nothing takes over the other", () => {
  const texts = fc.string({ unit: "grapheme" }).filter((text) => text.isWellFormed());
  const lists = fc.array(fc.constantFrom("a", "b", "c"));
  fc.assert(
    fc.property(texts, texts, lists, lists, (base, changed, items, others) => {
      expect(mergeTexts(base, changed, base)).toBe(changed);
      expect(mergeTexts(base, base, changed)).toBe(changed);
      expect(mergeLists(items, others, items)).toEqual(others);
      expect(mergeLists(items, items, others)).toEqual(others);
    }),
  );
});

test("items that one side added are there, and those that one side removed are not", () => {
  expect(mergeLists(["a", "b", "c"], ["a", "x", "b", "c"], ["a", "c", "y"])).toEqual(["a", "x", "c", "y"]);
});

test("long lists that have nothing in common are merged whole", () => {
  const items = (word: string): string[] => Array.from({ length: 800 }, (_, i) => `${word} ${i}`);
  expect(mergeLists(items("a"), items("b"), items("a"))).toEqual(items("b"));
});
