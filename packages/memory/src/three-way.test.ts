import * as fc from "fast-check";
import { expect, test } from "vitest";
import { mergeLists, mergeTexts } from "./three-way.ts";

test("changes at different places are both there", () => {
  expect(mergeTexts("one two three", "ONE two three", "one two THREE")).toBe("ONE two THREE");
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
