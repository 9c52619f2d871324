import * as fc from "fast-check";
import { expect, test } from "vitest";
import { applyReplacements } from "../../text/replace-text.ts";
import { textDelta } from "./text-delta.ts";

const texts = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r\n", "😀", "😁", "é") });

test("the difference of any two texts, applied to the first, gives the second", () => {
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      expect(applyReplacements(before, textDelta(before, after))).toBe(after);
    }),
    { numRuns: 300 },
  );
});

test("a difference never cuts a surrogate pair", () => {
  expect(textDelta("x😀y", "x😁y")).toEqual([{ start: 1, end: 3, insert: "😁" }]);
  expect(textDelta("😀", "\u{1f200}")).toEqual([{ start: 0, end: 2, insert: "\u{1f200}" }]);
  expect(textDelta("\u{10600}", "😀")).toEqual([{ start: 0, end: 2, insert: "😀" }]);
});

test("in a long text only the changed words are told", () => {
  const lines = Array.from({ length: 5_000 }, (_, i) => `line ${i} of it\n`);
  const before = lines.join("");
  const after = before.replace("line 10 of", "line ten of").replace("line 4000 of", "row 4000 of");
  const delta = textDelta(before, after);
  expect(applyReplacements(before, delta)).toBe(after);
  expect(delta.reduce((sum, { start, end, insert }) => sum + end - start + insert.length, 0)).toBeLessThan(20);
});

test("long texts that have nothing in common are told as one replacement", () => {
  const text = (word: string): string => Array.from({ length: 1_000 }, (_, i) => `${word} ${i}\n`).join("");
  const [before, after] = [text("aaaa"), text("bbbb")];
  expect(textDelta(before, after)).toHaveLength(1);
  expect(applyReplacements(before, textDelta(before, after))).toBe(after);
});

test("an insertion in front of a line is told as such, not as pieces of both", () => {
  expect(textDelta("one\ntwo\n", "zero\none\ntwo\n")).toEqual([{ start: 0, end: 0, insert: "zero\n" }]);
  expect(textDelta("say one thing\n", "say another thing\n")).toEqual([{ start: 4, end: 7, insert: "another" }]);
});

test("a long line that changed everywhere, and a passage with too many changes, are told whole", () => {
  const before = `${"a".repeat(5_000)}\nsame\n${"a".repeat(3_000)}\n`;
  const after = `${"b".repeat(5_000)}\nsame\n${"b".repeat(3_000)}\n`;
  expect(textDelta(before, after)).toHaveLength(2);
  expect(applyReplacements(before, textDelta(before, after))).toBe(after);
});
