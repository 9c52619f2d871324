import * as fc from "fast-check";
import { expect, test } from "vitest";
import { pageOf } from "./pages.ts";

test("following the cursors visits every item once", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ maxLength: 20 })),
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 1, max: 100 }),
      (list, items, size) => {
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const page = pageOf(list, (item) => item, cursor, { items, size });
          expect(page.items.length).toBeLessThanOrEqual(items);
          seen.push(...page.items);
          cursor = page.nextCursor;
        } while (cursor !== undefined);
        expect(seen).toEqual(list);
      },
    ),
  );
});

test("a cursor from elsewhere is refused", () => {
  expect(() => pageOf(["a"], (item) => item, "b", { items: 1, size: 1 })).toThrow("belongs to no list");
});
