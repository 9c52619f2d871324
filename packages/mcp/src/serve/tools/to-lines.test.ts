import fc from "fast-check";
import { expect, test } from "vitest";
import { toLines } from "./to-lines.ts";

test("a flat object stands on one line, and a longer one on several", () => {
  expect(toLines({ version: "1", replacements: 2, none: undefined })).toBe("version: 1, replacements: 2");
  expect(toLines({ a: "x".repeat(100), b: "y".repeat(100) })).toBe(`a: ${"x".repeat(100)}\nb: ${"y".repeat(100)}`);
});

test("a text of several lines stands unescaped at the end", () => {
  expect(toLines({ content: 'say "hi"\n\tend\n', version: "1" })).toBe('version: 1\ncontent:\nsay "hi"\n\tend\n');
});

test("an object that is nothing but a text is that text", () => {
  expect(toLines({ text: "plain\n" })).toBe("plain\n");
  expect(toLines({ version: "plain" })).toBe("version: plain");
});

test("lists have dashes, and what is below them is indented", () => {
  expect(toLines([1, null, true])).toBe("- 1\n- null\n- true");
  expect(toLines({ list: [{ name: "a", tags: ["x", "y"] }, "b"], empty: [], nothing: {} })).toBe(
    "list:\n  - name: a\n    tags: x, y\n  - b\nempty: none\nnothing: none",
  );
  expect(toLines({ at: { line: 1 }, words: ["a,b"], few: ["a", "b"] })).toBe("at: line: 1\nwords:\n  - a,b\nfew: a, b");
  expect(toLines([])).toBe("none");
});

test("data that is nested too deep for lines is written as JSON", () => {
  let deep: unknown = { end: [1] };
  for (let level = 0; level < 20; level++) deep = { level, deep };
  expect(toLines(deep)).toContain('{"end":[1]}');
});

test("every word of any JSON value stands in its lines, as it is unless it is nested too deep for lines", () => {
  const word = fc.stringMatching(/^[a-z"\\]{1,8}$/);
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ depthSize: "small" }, word, fc.integer(), fc.array(tie("tree")), fc.dictionary(word, tie("tree"))),
  }));
  const holds = (lines: string, value: unknown, depth: number): void => {
    if (typeof value === "object" && value !== null) {
      for (const part of Object.values(value)) holds(lines, part, depth + 1);
      return;
    }
    const written = String(value);
    if (depth <= 8 || lines.includes(written)) expect(lines).toContain(written);
    else expect(lines).toContain(JSON.stringify(value));
  };
  const asTree = (value: unknown): void => holds(toLines(value), value, 0);
  asTree([{ a: { "\\": [{ "\\": [{ a: [['""a']] }] }] } }]);
  fc.assert(fc.property(tree, asTree));
});
