import { assert, constantFrom, nat, property, string, tuple } from "fast-check";
import { expect, test } from "vitest";
import { clipLine } from "./clip-line.ts";
import { createPlainLines, type PlainLine, stretchOfLine } from "./plain-lines.ts";

test("a short matching line is shown whole", () => {
  expect(clipLine({ bytes: Buffer.from("x\u{1f44d}y"), at: 1 })).toEqual({ text: "x\u{1f44d}y" });
});

const unit = constantFrom("a", "é", "語", '"', "\u{1f44d}");
const side = tuple(unit, nat(6_000)).map(([char, count]) => char.repeat(count));

/** What a line of ripgrep's is read as, of which only the stretch around the match was kept. */
function readCut(head: string, before: string, rest: string): PlainLine | undefined {
  const whole = Buffer.from(`${head}${before}${rest}`);
  const stretch = stretchOfLine(whole);
  if (stretch === undefined) return undefined;
  const to = Math.min(stretch.to, whole.length);
  const chars = (from: number, end: number): number =>
    [...whole.subarray(from, end)].reduce((sum, byte) => sum + ((byte & 0xc0) === 0x80 ? 0 : byte >= 0xf0 ? 2 : 1), 0);
  const kept = Buffer.concat([whole.subarray(0, stretch.head), whole.subarray(stretch.from, to)]);
  const counts = { charsBefore: chars(stretch.head, stretch.from), charsAfter: chars(to, whole.length) };
  let read: PlainLine | undefined;
  const take = createPlainLines({ onFile: () => {}, onLine: (_, line) => void (read = line()) });
  take(kept, { ...stretch, length: whole.length, ...counts });
  return read;
}

test("of a long line at most 400 characters are shown, the match among them, and its place is told in characters", () => {
  assert(
    property(side, side, string({ maxLength: 20 }), (before, behind, match) => {
      const found = match.toWellFormed().replaceAll(/[\r\n\0]/g, "");
      const line = `${before}${found}${behind}`;
      const clipped = clipLine({ bytes: Buffer.from(line), at: Buffer.byteLength(before) });
      expect(clipped.text.length).toBeLessThanOrEqual(402);
      expect(clipped.text).toContain(found);
      if (line.length > 400) expect(clipped).toMatchObject({ column: before.length + 1, line_length: line.length });
      else expect(clipped).toEqual({ text: line });
      const cut = readCut(`./a\x007\x00${Buffer.byteLength(before) + 1}\0`, before, `${found}${behind}`);
      expect(cut).toEqual({ line: 7, isMatch: true, ...clipped });
    }),
  );
});
