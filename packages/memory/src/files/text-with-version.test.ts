import { expect, test } from "vitest";
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

test("a text that is cut ends behind its last whole line", () => {
  const data = { content: "b\nhal", version: "v", total_lines: 3 };
  const truncated = { total_chars: 9, shown_chars: 5 };
  expect(textWithVersion(data, { input: { offset: 2 }, truncated })).toEqual({
    tellsCut: "b\n[version: v, total_lines: 3; lines 2 to 2 are shown, go on with offset 3]",
  });
});

test("a line that is too long says how much of it is shown, how its rest is read, and where the next line is", () => {
  const data = { content: "k".repeat(100), version: "v", total_lines: 4, line_chars: 60_000 };
  const truncated = { total_chars: 60_005, shown_chars: 100 };
  const told = (input: object, total_lines = 4): string =>
    (textWithVersion({ ...data, total_lines }, { input: { ...input }, truncated }) as { tellsCut: string }).tellsCut;
  expect(told({ offset: 3 })).toContain(
    "\n[version: v, total_lines: 4; line 3 is cut: its characters 1 to 100 of 60000 are shown, " +
      "its rest is read with offset 3 and column 101, go on with offset 4]",
  );
  expect(told({ offset: 3, column: 101 })).toContain("its characters 101 to 200 of 60000 are shown");
  expect(told({}, 1)).toMatch(/its rest is read with offset 1 and column 101\]$/);
  const without = { content: "kkk", version: "v", total_lines: 1 };
  expect(textWithVersion(without, { input: {}, truncated })).toEqual({
    tellsCut: expect.stringContaining("its characters 1 to 3 are shown"),
  });
});

test("a long line that is cut just before its end counts as shown", () => {
  const data = { content: "k".repeat(2_000), version: "v", total_lines: 2, line_chars: 2_000 };
  const truncated = { total_chars: 2_010, shown_chars: 2_000 };
  expect(textWithVersion(data, { input: {}, truncated })).toEqual({
    tellsCut: expect.stringContaining("; lines 1 to 1 are shown, go on with offset 2]"),
  });
});
