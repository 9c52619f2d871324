import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createNewest } from "./newest.ts";

test("the newest paths are those that sorting everything would give, however many there are", () => {
  const one = fc.record({ path: fc.string({ maxLength: 3 }), modified: fc.integer({ min: 0, max: 20 }) });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 200 }), fc.integer({ min: 1, max: 10 }), (all, limit) => {
      const newest = createNewest(limit);
      for (const { path, modified } of all) newest.add(path, modified);
      const sorted = all.toSorted(
        (a, b) => b.modified - a.modified || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0),
      );
      expect(newest.paths()).toEqual(sorted.slice(0, limit).map(({ path }) => path));
      expect(newest.count).toBe(all.length);
    }),
  );
});
