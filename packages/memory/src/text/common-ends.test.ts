import * as fc from "fast-check";
import { expect, test } from "vitest";
import { commonEnds } from "./common-ends.ts";

function oneByOne(one: string, other: string): { head: number; tail: number } {
  const shorter = Math.min(one.length, other.length);
  let head = 0;
  while (head < shorter && one[head] === other[head]) head++;
  let tail = 0;
  while (tail < shorter - head && one.at(-1 - tail) === other.at(-1 - tail)) tail++;
  return { head, tail };
}

test("pieces find what one character after the other finds, wherever the texts part", () => {
  const long = fc.nat({ max: 13_000 }).map((length) => "ab".repeat(length).slice(0, length));
  const short = fc.string({ unit: fc.constantFrom("a", "b", "x"), maxLength: 6 });
  fc.assert(
    fc.property(long, short, short, long, (head, old, next, tail) => {
      const [one, other] = [`${head}${old}${tail}`, `${head}${next}${tail}`];
      expect(commonEnds(one, other)).toEqual(oneByOne(one, other));
    }),
    { numRuns: 200 },
  );
});

test("the common beginning and end of two texts never overlap", () => {
  expect(commonEnds("a".repeat(5_000), "a".repeat(9_000))).toEqual({ head: 5_000, tail: 0 });
  expect(commonEnds("", "a")).toEqual({ head: 0, tail: 0 });
  expect(commonEnds("aba", "aa")).toEqual({ head: 1, tail: 1 });
});
