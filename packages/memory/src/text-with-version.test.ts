import fc from "fast-check";
import { expect, test } from "vitest";
import { countLines, sliceLines } from "./lines.ts";
import { textWithVersion } from "./text-with-version.ts";

test("a whole text is the text itself, then one line with its version and its number of lines", () => {
  const data = { content: 'a "b"\n\tc\n', version: "v1", total_lines: 2 };
  expect(textWithVersion(data, { input: {} })).toBe('a "b"\n\tc\n[version: v1, total_lines: 2]');
  expect(textWithVersion({ content: "a", version: "v1", total_lines: 1 }, { input: {} })).toBe(
    "a\n[version: v1, total_lines: 1]",
  );
  expect(textWithVersion({ content: "", version: "v1", total_lines: 0 }, { input: {} })).toBe(
    "[version: v1, total_lines: 0]",
  );
});

test("a part of a text says which lines it is and where to go on", () => {
  const part = { content: "b\nc\n", version: "v", total_lines: 9 };
  expect(textWithVersion(part, { input: { offset: 2, limit: 2 } })).toContain(
    "total_lines: 9; lines 2 to 3 are shown, go on with offset 4]",
  );
  const end = { content: "i", version: "v", total_lines: 9 };
  expect(textWithVersion(end, { input: { offset: 9 } })).toContain("total_lines: 9; lines 9 to 9 are shown]");
});

test("reading on from where a cut text says loses no character", () => {
  const line = fc.string({ maxLength: 12 }).map((text) => text.replaceAll(/[\n\r]/g, ""));
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 2 }),
      fc.integer({ min: 1, max: 40 }),
      fc.nat(60),
      (lines, from, length) => {
        const text = lines.join("\n");
        const total = countLines(text);
        fc.pre(from <= total);
        const asked = sliceLines(text, from, Number.POSITIVE_INFINITY);
        const content = asked.slice(0, length);
        fc.pre(content.length < asked.length);
        const truncated = { total_chars: asked.length, shown_chars: content.length };
        const shown = textWithVersion(
          { content, version: "v", total_lines: total },
          { input: { offset: from }, truncated },
        );
        const next = Number(/go on with offset (\d+)\]$/.exec((shown as { tellsCut: string }).tellsCut)?.[1]);
        const before = asked.slice(0, asked.length - sliceLines(text, next, Number.POSITIVE_INFINITY).length);
        expect(content.startsWith(before)).toBe(true);
      },
    ),
  );
});
