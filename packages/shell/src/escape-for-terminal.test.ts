import * as fc from "fast-check";
import { expect, test } from "vitest";
import { escapeForTerminal } from "./escape-for-terminal.ts";

test.each([
  ["\x1b[2J\x1b[H", "\\e[2J\\e[H"],
  ["\x1b]0;title\x07", "\\e]0;title\\u{7}"],
  ["\x1b]52;c;aGk=\x1b\\", "\\e]52;c;aGk=\\e\\"],
  ["\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "\\e]8;;http://x\\e\\link\\e]8;;\\e\\"],
  ["\x9b31m", "\\u{9b}31m"],
  ["over\rwritten\b\b", "over\\rwritten\\u{8}\\u{8}"],
  ["file\u202Etxt.exe", "file\\u{202e}txt.exe"],
  ["zero\u200Bwidth\u2066x\u2069", "zero\\u{200b}width\\u{2066}x\\u{2069}"],
  ["tag\u{E0041}", "tag\\u{e0041}"],
  ["half \uD83D here", "half \\u{d83d} here"],
  ["nul\0", "nul\\0"],
])("makes %j visible", (text, shown) => {
  expect(escapeForTerminal(text)).toBe(shown);
});

test("leaves ordinary text as it is", () => {
  const text = "tab\tline\nÄ 日本 😀 \\e[0m עברית";
  expect(escapeForTerminal(text)).toBe(text);
});

test("nothing a terminal acts on is left, in any text", () => {
  const nasty = fc.constantFrom(
    "\x1b",
    "\x1b[",
    "\x1b]",
    "\x07",
    "\x9b",
    "\x9d",
    "\r",
    "\u202E",
    "\u2028",
    "\u{E0001}",
    "\uDC00",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(nasty, fc.string({ unit: "binary" }))), (parts) => {
      const shown = escapeForTerminal(parts.join(""));
      // oxlint-disable-next-line no-control-regex -- finding them is the point
      expect(shown).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
      expect(shown.isWellFormed()).toBe(true);
      expect(escapeForTerminal(shown)).toBe(shown);
    }),
  );
});
