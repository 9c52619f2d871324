import { expect, test } from "vitest";
import { escapeText } from "./escape-text.ts";

test("no escape sequence or direction mark reaches the terminal as such", () => {
  expect(escapeText("a\u001b]52;c;x\u0007\tb\n\u202ec\u009b2J")).toBe("a\\u001b]52;c;x\\u0007\tb\n\\u202ec\\u009b2J");
});

test("zero-width and tag characters are shown at the terminal as their codes", () => {
  expect(escapeText("rm\u200b -rf\u{e0041}\u2060")).toBe("rm\\u200b -rf\\udb40\\udc41\\u2060");
});
