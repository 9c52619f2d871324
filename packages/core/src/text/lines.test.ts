import * as fc from "fast-check";
import { expect, test } from "vitest";
import { countLines, startOfLine, sliceLines } from "./lines.ts";

test.each([
  ["", 0],
  ["a", 1],
  ["a\n", 1],
  ["\n", 1],
  ["a\nb", 2],
  ["a\r\nb\r\n", 2],
])("%j has %i lines", (text, lines) => {
  expect(countLines(text)).toBe(lines);
});

test("a slice keeps its line endings and stops at the end", () => {
  expect(sliceLines("a\r\nb\nc", 1, 1)).toBe("a\r\n");
  expect(sliceLines("a\r\nb\nc", 2, 99)).toBe("b\nc");
  expect(startOfLine("a\nb", 9)).toBe(3);
});

test("cut into slices of any size, a text is whole again", () => {
  const texts = fc.string({ unit: fc.constantFrom("a", "\n", "\r\n", "é") });
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 4 }), (text, size) => {
      const pieces: string[] = [];
      for (let first = 1; first <= countLines(text); first += size) pieces.push(sliceLines(text, first, size));
      expect(pieces.join("")).toBe(text);
    }),
  );
});
