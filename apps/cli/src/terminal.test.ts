import { expect, test } from "vitest";
import { escapeText } from "./terminal.ts";

test("no escape sequence or direction mark reaches the terminal as such", () => {
  expect(escapeText("a\u001b]52;c;x\u0007\tb\n\u202ec\u009b2J")).toBe("a\\u001b]52;c;x\\u0007\tb\n\\u202ec\\u009b2J");
});
