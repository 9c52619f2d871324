import * as fc from "fast-check";
import { expect, test } from "vitest";
import { byCodePoint } from "./order.ts";

test("strings are ordered by code point, also beyond the first 65,536", () => {
  expect(["\u{1f680}", "\uffee", "b", "a", "ab"].toSorted(byCodePoint)).toEqual([
    "a",
    "ab",
    "b",
    "\uffee",
    "\u{1f680}",
  ]);
  const text = fc.array(fc.constantFrom("a", "b", "\uffee", "\u{1f680}", "\u{1f681}")).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, text, (one, other) => {
      const points = (value: string): number[] => Array.from(value, (char) => char.codePointAt(0) as number);
      const [a, b] = [points(one), points(other)];
      const at = a.findIndex((point, index) => point !== b[index]);
      const expected = at === -1 ? a.length - b.length : (a[at] as number) - (b[at] ?? -1);
      expect(Math.sign(byCodePoint(one, other))).toBe(Math.sign(expected));
    }),
  );
});
