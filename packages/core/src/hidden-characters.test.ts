import * as fc from "fast-check";
import { expect, test } from "vitest";
import { escapeHidden, findHidden, removeHidden } from "./hidden-characters.ts";

const forReading = { forReading: true };

test.each([
  ["\x1b[2J\x1b[H", "\\u{1b}[2J\\u{1b}[H"],
  ["\x1b]0;title\x07", "\\u{1b}]0;title\\u{7}"],
  ["\x1b]52;c;aGk=\x1b\\", "\\u{1b}]52;c;aGk=\\u{1b}\\"],
  ["\x1b]8;;http://x\x1b\\link", "\\u{1b}]8;;http://x\\u{1b}\\link"],
  ["\x9b31m", "\\u{9b}31m"],
  ["over\rwritten\b\b", "over\\rwritten\\u{8}\\u{8}"],
  ["file\u202Etxt.exe", "file\\u{202e}txt.exe"],
  ["zero\u200Bwidth\u2066x\u2069", "zero\\u{200b}width\\u{2066}x\\u{2069}"],
  ["joined\u200Dletters and\u200Cmore", "joined\\u{200d}letters and\\u{200c}more"],
  ["tag\u{E0041}", "tag\\u{e0041}"],
  ["a\uFE00.md", "a\\u{fe00}.md"],
  ["a\uFE0F.md", "a\\u{fe0f}.md"],
  ["1\uFE0F and ⚠\uFE0F\uFE0F", "1\\u{fe0f} and ⚠\uFE0F\\u{fe0f}"],
  ["soft\u00ADhyphen\uFEFF", "soft\\u{ad}hyphen\\u{feff}"],
  ["filler\u3164\u115F", "filler\\u{3164}\\u{115f}"],
  ["half \uD83D here", "half \\u{d83d} here"],
  ["nul\0", "nul\\0"],
])("%j is made visible, for reading too", (text, shown) => {
  expect(escapeHidden(text)).toBe(shown);
  const read = escapeHidden(text, forReading);
  expect(read).not.toBe(text);
  expect(escapeHidden(read)).toBe(read);
});

test("JSON that is escaped for reading is still the same JSON", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(JSON.parse(escapeHidden(JSON.stringify(text), forReading))).toBe(text);
    }),
  );
});

test.each(["🏳️ ☎︎ 1️⃣ #️⃣ 🕵🏽 ♂️", "line\nÄ 日本 😀 \\e[0m עברית", "Grüße, 日本語 ⚠️ ok\n"])(
  "%j stays as it is",
  (text) => {
    expect(escapeHidden(text)).toBe(text);
    expect(escapeHidden(text, forReading)).toBe(text);
  },
);

test("a tab is four spaces where a person decides, and a tab where one reads", () => {
  expect(escapeHidden("a\tb\r\n")).toBe("a    b\n");
  expect(escapeHidden("a\tb\r\n", forReading)).toBe("a\tb\n");
});

test.each(["👩‍👩‍👧 and 👩🏽‍💻", "❤️‍🔥", "می‌خواهم", "क्‍ष"])(
  "joiners of %s stay for reading, and are shown to one who decides",
  (text) => {
    expect(escapeHidden(text, forReading)).toBe(text);
    expect(escapeHidden(text)).toMatch(/\\u\{200[cd]\}/);
  },
);

test.each(["\u{e0002}", "\u{e0fff}", "\u2065", "\ufff0"])(
  "a code that Unicode keeps free for hidden characters is written out: %j",
  (text) => expect(escapeHidden(`a${text}b`)).toMatch(/^a\\u\{[0-9a-f]+\}b$/),
);

test.each([
  ["a hidden mark behind it", "\u0628\u200d\u180b"],
  ["a hidden letter before it", "\u061c\u200d\u0628"],
])("a joiner with %s joins nothing, and is written as its code", (_, text) => {
  const shown = escapeHidden(text, { forReading: true });
  expect(shown).not.toContain("\u200d");
  expect(escapeHidden(shown, { forReading: true })).toBe(shown);
});

test("escaping leaves nothing in any text that a terminal acts on", () => {
  const nasty = fc.constantFrom(
    "\x1b",
    "\x07",
    "\x9b",
    "\x9d",
    "\r",
    "\u202E",
    "\u2028",
    "\u{E0001}",
    "\u200B",
    "\u200D",
    "\uFEFF",
    "\x1b[",
    "\x1b]",
    "\uDC00",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(nasty, fc.string({ unit: "binary" }))), fc.boolean(), (parts, reading) => {
      const shown = escapeHidden(parts.join(""), { forReading: reading });
      expect(shown).not.toMatch(
        // oxlint-disable-next-line no-control-regex -- finding them is the point
        /[\0-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/u,
      );
      expect(shown.isWellFormed()).toBe(true);
      expect(escapeHidden(shown, { forReading: reading })).toBe(shown);
    }),
  );
});

test("the characters that are escaped are exactly those that are found and removed as hidden", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.boolean(), (text, reading) => {
      const whole = text.replaceAll("\r\n", "\n");
      const options = { forReading: reading };
      const left = removeHidden(whole, options);
      expect(findHidden(left, options)).toBeUndefined();
      expect(findHidden(whole, options) === undefined).toBe(left === whole);
      expect(escapeHidden(whole, options) === whole).toBe(left === whole);
    }),
  );
  expect(findHidden("a\u200bb\u202e")).toBe("\u200b");
  expect(removeHidden("a\u200bb\tc\n", { forReading: true })).toBe("ab\tc\n");
  expect(removeHidden("a\u200bb\tc\n")).toBe("abc\n");
});
