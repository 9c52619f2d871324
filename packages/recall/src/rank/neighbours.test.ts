import * as fc from "fast-check";
import { expect, test } from "vitest";
import { impactOf, rarityOf } from "./impact.ts";
import { neighboursOf } from "./neighbours.ts";

test("entries linked through others are neighbours when they lie within reach", () => {
  const near = neighboursOf(
    [
      { from: "b", to: "a", offset: -1 },
      { from: "b", to: "c", offset: 1 },
      { from: "c", to: "d", offset: 1 },
    ],
    2,
  );
  expect(near.get("a")).toEqual([
    { id: "b", offset: 1 },
    { id: "c", offset: 2 },
  ]);
  expect(near.get("d")?.map(({ id }) => id)).toEqual(["c", "b"]);
});

test("being neighbours is mutual, for any part of a thread", () => {
  const line = fc.uniqueArray(fc.nat(30), { minLength: 2 }).map((places) => places.toSorted((a, b) => a - b));
  fc.assert(
    fc.property(line, fc.integer({ min: 1, max: 4 }), (places, reach) => {
      const links = places.slice(1).map((to, i) => {
        const from = places[i] as number;
        return { from: String(from), to: String(to), offset: to - from };
      });
      const near = neighboursOf(links, reach);
      for (const a of places) {
        const expected = places.filter((b) => b !== a && Math.abs(a - b) <= reach);
        expect((near.get(String(a)) ?? []).map(({ id }) => Number(id)).toSorted((x, y) => x - y)).toEqual(expected);
      }
    }),
  );
});

test("more occurrences count more, longer texts less, rarer words more", () => {
  const counts = fc.integer({ min: 1, max: 50 });
  const lengths = fc.integer({ min: 1, max: 5_000 });
  fc.assert(
    fc.property(counts, lengths, (count, length) => {
      expect(impactOf(count + 1, length)).toBeGreaterThanOrEqual(impactOf(count, length));
      expect(impactOf(count, length + 10)).toBeLessThanOrEqual(impactOf(count, length));
      expect(impactOf(count, length)).toBeLessThan(32_767);
      expect(rarityOf(count, 100)).toBeGreaterThan(rarityOf(count + 1, 100));
    }),
  );
  expect(rarityOf(10, 5)).toBeGreaterThan(0);
});
