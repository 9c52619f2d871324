import fc from "fast-check";
import { expect, test } from "vitest";
import { modernRange } from "./line-range.ts";

const STARTS = { first: "start", last: "end" };
const SHOWN = { first: "start_line", count: "display_lines" };

test("older words for a range become offset and limit", () => {
  expect(modernRange({ name: "x", start: 3, end: 5 }, STARTS)).toEqual({ name: "x", offset: 3, limit: 3 });
  expect(modernRange({ end: 5 }, STARTS)).toEqual({ limit: 5 });
  expect(modernRange({ start: 3, end: null }, STARTS)).toEqual({ offset: 3 });
  expect(modernRange({ start_line: 3, display_lines: 2 }, SHOWN)).toEqual({ offset: 3, limit: 2 });
  expect(modernRange({ start_line: null }, SHOWN)).toEqual({});
});

test("arguments that hold no older words for a range are passed on as they are", () => {
  for (const args of [
    { offset: 1 },
    { start: "x" },
    { start: 1, offset: 2 },
    { end: 1.5 },
    { start: 1, limit: null },
  ]) {
    expect(modernRange(args, STARTS)).toBe(args);
  }
});

test("a range by its first and last line holds the same lines as by offset and limit", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 99 }), fc.nat(99), (start, more) => {
      expect(modernRange({ start, end: start + more }, STARTS)).toEqual({ offset: start, limit: more + 1 });
    }),
  );
});
