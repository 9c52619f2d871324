import fc from "fast-check";
import { expect, test } from "vitest";
import { isNestedTooDeep, MAX_NESTING } from "./nesting.ts";

function nested(levels: number): unknown {
  let value: unknown = "x";
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value, b: 1 };
  return value;
}

test("a value may be nested as deep as the bound says, and no deeper", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3 * MAX_NESTING }), (levels) => {
      expect(isNestedTooDeep(nested(levels))).toBe(levels > MAX_NESTING);
    }),
  );
  expect(isNestedTooDeep(nested(200_000))).toBe(true);
});
