import * as fc from "fast-check";
import { expect, test } from "vitest";
import { applyReplacements, findReplacements } from "./replace-text.ts";

const replace = (text: string, old: string, by: string, all = false): string =>
  applyReplacements(text, findReplacements(text, old, by, { name: "t", all, severalHint: "More." }));

test.each([
  ["one match", "a b c", "b", "x", "a x c"],
  ["dollar signs are ordinary", "cost: 1", "1", "$& $1 $$", "cost: $& $1 $$"],
  ["LF matches CRLF and keeps it", "a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc\r\n"],
  ["an old that begins with a line break", "a\r\nb\r\n", "\nb", "\nc", "a\r\nc\r\n"],
  ["an old that ends before a line break", "a\r\nb\r\n", "a\nb", "x", "x\r\n"],
  ["a one-line old in a CRLF text", "a\r\nb\r\n", "b", "b\nc", "a\r\nb\r\nc\r\n"],
  ["a carriage return is taken literally", "a\r\nb\r\n", "a\r\n", "a\n", "a\nb\r\n"],
  ["mixed endings: those of the passage", "a\nb\r\nc\r\n", "a\nb", "x\ny", "x\ny\r\nc\r\n"],
  ["mixed endings: those of most lines", "a\nb\nc\r\n", "c", "c\nd", "a\nb\nc\nd\r\n"],
  ["a text without a line break", "abc", "b", "x\ny", "ax\nyc"],
])("%s", (_, text, old, by, result) => {
  expect(replace(text, old, by)).toBe(result);
});

test.each([
  ["", "x", "invalid_input"],
  ["a", "a", "invalid_input"],
  ["zz", "x", "not_found"],
  ["a", "x", "ambiguous"],
  ["bb", "x", "ambiguous"],
])("replacing %j by %j is refused as %s", (old, by, code) => {
  expect(() => replace("a bbb a", old, by)).toThrow(expect.objectContaining({ code }));
});

test("the error for several matches counts them", () => {
  expect(() => replace("x x x", "x", "y")).toThrow("3 times");
  expect(replace("x x x", "x", "y", true)).toBe("y y y");
});

test("all matches are replaced as by splitting and joining, and nothing else changes", () => {
  const texts = fc.string({ unit: fc.constantFrom("a", "b", "\n") });
  fc.assert(
    fc.property(texts, texts, texts, (text, old, by) => {
      fc.pre(old !== "" && old !== by && text.includes(old));
      expect(replace(text, old, by, true)).toBe(text.split(old).join(by));
    }),
  );
});

test("with LF for CRLF the result is that of the LF text, with CRLF again", () => {
  const texts = fc.string({ unit: fc.constantFrom("a", "b", "\n") });
  fc.assert(
    fc.property(texts, texts, texts, (text, old, by) => {
      fc.pre(old !== "" && old !== by && text.includes("\n") && text.includes(old));
      expect(replace(text.replaceAll("\n", "\r\n"), old, by, true)).toBe(
        text.split(old).join(by).replaceAll("\n", "\r\n"),
      );
    }),
  );
});
