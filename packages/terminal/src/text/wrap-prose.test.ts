import { expect, test } from "vitest";
import fc from "fast-check";
import { widthOf } from "./text-width.ts";
import { wrapProse } from "./wrap-prose.ts";

test("a line is broken between words, and its rows begin as far in as it does", () => {
  expect(wrapProse("  What now? [g] go on without one", 20)).toBe("  What now? [g] go\n  on without one");
});

test("fenced code and words wider than a row stay as they are", () => {
  const text = "see\n```\nconst a = 'a b c d e f';\n```\nhttp://127.0.0.1:8080/a/long/path now";
  expect(wrapProse(text, 12)).toBe(text.replace(" now", "\nnow"));
});

test("no row of words that fit is wider than the terminal, and no word is divided or lost", () => {
  const word = fc.stringMatching(/^[a-zäß漢.:,]{1,9}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 40 }), fc.integer({ min: 20, max: 60 }), (words, columns) => {
      const letters = words.filter((one) => !one.includes("漢"));
      const wrapped = wrapProse(letters.join(" "), columns);
      for (const row of wrapped.split("\n")) expect(widthOf(row)).toBeLessThanOrEqual(columns);
      expect(wrapped.split(/\s+/)).toEqual(letters.join(" ").split(/\s+/));
    }),
  );
});
