import * as fc from "fast-check";
import { expect, test } from "vitest";
import { changedPassage } from "./changed-passage.ts";

const filler = "a line with some words 😀\n".repeat(300);

test("the passage and what stands around it make up the text again, whatever changed", () => {
  const part = fc.string({ unit: "binary", maxLength: 50 });
  fc.assert(
    fc.property(part, part, part, part, (head, old, next, tail) => {
      const before = `${head}${filler}${old}${filler}${tail}`;
      const after = `${head}${filler}${next}${filler}${tail}`;
      const [text, from, to] = changedPassage(before, after) ?? [];
      expect(before.slice(0, from) + text + before.slice(to)).toBe(after);
      expect(text?.length).toBeLessThanOrEqual(after.length / 2);
    }),
    { numRuns: 30 },
  );
});

test("a pair of surrogates is never cut", () => {
  const [text] = changedPassage(`${filler}\ud83d\ude00${filler}`, `${filler}\ud83d\ude01${filler}`) ?? [];
  expect(text).toBe("\ud83d\ude01");
  const [other] = changedPassage(`${filler}\ud83d\ude00${filler}`, `${filler}\ud83c\ude00${filler}`) ?? [];
  expect(other).toBe("\ud83c\ude00");
});

test("short texts and those that differ for the most part are kept whole", () => {
  expect(changedPassage("a", "b")).toBeUndefined();
  expect(changedPassage(filler, filler.toUpperCase())).toBeUndefined();
});

test("a text that only grew or shrank at its end is one passage", () => {
  expect(changedPassage(filler, `${filler}more`)).toEqual(["more", filler.length, filler.length]);
  expect(changedPassage(`${filler}more`, filler)).toEqual(["", filler.length, filler.length + 4]);
});
