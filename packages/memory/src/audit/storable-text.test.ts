import fc from "fast-check";
import { expect, test } from "vitest";
import { storableText } from "./storable-text.ts";

test("a NUL and half of a surrogate pair are shown as their codes, everything else stays", () => {
  expect(storableText("a\0b\ud800c\udc00", 100)).toBe(String.raw`a\u0000b\ud800c\udc00`);
  expect(storableText("call_1 ä 🐢\n", 100)).toBe("call_1 ä 🐢\n");
});

test("a long id keeps its beginning and its end and says how long it was", () => {
  const id = `begin${"x".repeat(9_000)}end`;
  const stored = storableText(id, 200);
  expect(stored.length).toBeLessThanOrEqual(200);
  expect(stored).toMatch(/^beginx+…\(9008 characters\)…x+end$/);
});

test("whatever comes, the result is well-formed, without NUL, within its bound, and stays as it is when stored again", () => {
  const unit = fc.oneof(
    fc.constantFrom("\0", "\ud83d", "\udc22", "🐢", "…", "\\u0000"),
    fc.string({ unit: "grapheme", maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 300 }), fc.integer({ min: 64, max: 300 }), (units, max) => {
      const stored = storableText(units.join(""), max);
      expect(stored.length).toBeLessThanOrEqual(max);
      expect(stored.isWellFormed()).toBe(true);
      expect(stored).not.toContain("\0");
      expect(storableText(stored, max)).toBe(stored);
    }),
  );
});
