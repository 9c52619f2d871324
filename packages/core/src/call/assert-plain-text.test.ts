import * as fc from "fast-check";
import { expect, test } from "vitest";
import { assertPlainText } from "./assert-plain-text.ts";

test.each([
  [{ path: "a\0b" }, 'The field "path" contains a NUL character, at offset 1'],
  [{ path: "ab\ud83e" }, 'The field "path" contains half of a surrogate pair, at offset 2'],
  [{ path: "\udc00" }, 'The field "path" contains half of a surrogate pair, at offset 0'],
  [{ "a\0": 1 }, "The name of a field contains a NUL character, at offset 1"],
  [{ list: ["fine", { deep: "\0" }] }, 'The field "list" contains a NUL character, at offset 0'],
  [{ list: [{ "\ud800": 1 }] }, 'The field "list" contains half of a surrogate pair, at offset 0'],
])("%j is refused, and the place is named", (value, words) => {
  expect(() => assertPlainText("tool", value)).toThrow(
    expect.objectContaining({ code: "invalid_input", message: `tool: ${words}` }),
  );
});

test("every other text passes, and so does what is no text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const plain = text.toWellFormed().replaceAll("\0", "");
      expect(() =>
        assertPlainText("tool", { text: plain, more: [plain, 1, null, true, { [plain]: plain }] }),
      ).not.toThrow();
    }),
  );
});

test("a value that is nested deeper than the stack is looked through", () => {
  let value: unknown = "\0";
  for (let depth = 0; depth < 200_000; depth++) value = [value];
  expect(() => assertPlainText("tool", { value })).toThrow("contains a NUL character");
});
