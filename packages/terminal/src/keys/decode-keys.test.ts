import fc from "fast-check";
import { expect, test } from "vitest";
import { createKeyDecoder, type Key } from "./decode-keys.ts";
import { nameOf } from "./edit-keys.ts";

const decode = (...sent: string[]): Key[] => {
  const decoder = createKeyDecoder();
  return [...sent.flatMap((text) => decoder.push(text)), ...decoder.settle()];
};
const names = (...sent: string[]): string[] =>
  decode(...sent).map((key) => (key.text === "" ? nameOf(key) : `"${key.text}"`));

const KEYS: Readonly<Record<string, string>> = {
  a: '"a"',
  世: '"世"',
  "👍": '"👍"',
  " ": '" "',
  "\r": "return",
  "\n": "enter",
  "\t": "tab",
  "\u007f": "backspace",
  "\b": "backspace",
  "\u0001": "ctrl+a",
  "\u001a": "ctrl+z",
  "\u001f": "ctrl+_",
  "\0": "ctrl+space",
  "\u001bb": "meta+b",
  "\u001b\r": "meta+return",
  "\u001b\u007f": "meta+backspace",
  "\u001b[A": "up",
  "\u001bOD": "left",
  "\u001b[1;5C": "ctrl+right",
  "\u001b[1;3D": "meta+left",
  "\u001b\u001b[D": "meta+left",
  "\u001b[3~": "delete",
  "\u001b[1~": "home",
  "\u001b[Z": "tab",
  "\u001b[13;2u": "shift+return",
  "\u001b[13;5u": "ctrl+return",
  "\u001b[13u": "return",
  "\u001b[97;5u": "ctrl+a",
  "\u001b[98;3u": "meta+b",
  "\u001b[99;5:1u": "ctrl+c",
  "\u001b[27u": "escape",
  "\u001b[228u": '"ä"',
  "\u001b[97;2u": '"A"',
  "\u001b[27;2;13~": "shift+return",
  "\u001b[27;5;120~": "ctrl+x",
  "\u001b[200~a\rb\u001b[201~": '"a\nb"',
  "\u001b[200~x\u001b[200~y\u001b[201~": '"x\u001b[200~y"',
};

test("keys are named as terminals send them, also by CSI-u and modifyOtherKeys", () => {
  for (const [sent, name] of Object.entries(KEYS)) expect([sent, names(sent)]).toEqual([sent, [name]]);
});

test("what a terminal answers, a key that is let go and what is no key type nothing", () => {
  expect(names("\u001b[?1;2c\u001b[99;5:3u\u001b[I\u001b[[A\u001b[999999999u\u001b[55296u\u0085x")).toEqual([
    "",
    '"x"',
  ]);
  expect(names("\u001b[?0u")).toEqual(["kitty-answer"]);
});

test("the pieces in which keys and pastes come make no difference", () => {
  const keys = fc.array(fc.constantFrom(...Object.keys(KEYS)), { maxLength: 12 });
  fc.assert(
    fc.property(keys, fc.array(fc.nat(), { maxLength: 8 }), (sent, cuts) => {
      const text = sent.join("");
      const at = [0, ...cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b), text.length];
      const whole = at.slice(1).map((end, index) => text.slice(at[index], end));
      // A pair is never cut: the bytes are made into text before.
      fc.pre(whole.every((piece) => piece.isWellFormed()));
      fc.pre(whole.every((piece) => piece !== "\u0003"));
      expect(names(...whole)).toEqual(names(text));
    }),
  );
});

test("a lone Escape is one when nothing follows, and what is unfinished is typed", () => {
  const decoder = createKeyDecoder();
  expect(decoder.push("\u001b")).toEqual([]);
  expect(decoder.isWaiting).toBe(true);
  expect(decoder.settle().map(nameOf)).toEqual(["escape"]);
  expect(names("\u001b[1;")).toEqual(["escape", '"["', '"1"', '";"']);
  expect(names("\u001b\u001bx")).toEqual(["escape", "meta+x"]);
});

test("an end of a paste inside the paste does not end it", () => {
  expect(names("\u001b[200~a\u001b[201~\r/exit\r\u001b[201~")).toEqual(['"a\u001b[201~\n/exit\n"']);
  expect(names("\u001b[200~a\u001b[201~x\u001b[200~b\u001b[201~\r")).toEqual(['"a"', '"x"', '"b"', "return"]);
});

test("Ctrl-C alone is heard while the end of a paste is missing, and the paste stays", () => {
  expect(names("\u001b[200~half\u001b[2", "\u0003", "x")).toEqual(['"half\u001b[2"', "ctrl+c", '"x"']);
});

test("what comes at once as nobody types it is a paste, also without marks", () => {
  const lines = "one line of it\rand @another/one\rthe last";
  expect(names(lines)).toEqual([`"${lines.replaceAll("\r", "\n")}"`]);
  expect(names("x".repeat(4_096), "y".repeat(1_000))).toEqual([`"${"x".repeat(4_096)}${"y".repeat(1_000)}"`]);
  expect(names(lines, "\u0003")).toEqual([`"${lines.replaceAll("\r", "\n")}"`, "ctrl+c"]);
  expect(names("first\rsecond\r")).toHaveLength(13);
  expect(names("a message that somebody typed ahead of time\r").at(-1)).toBe("return");
});

test("of a paste over 1,000,000 characters the beginning is kept, and it is told", () => {
  const [key] = decode(`\u001b[200~${"x".repeat(1_000_005)}`, "\u001b[201~");
  expect(key?.text).toHaveLength(1_000_000);
  expect(key?.isCut).toBe(true);
});
