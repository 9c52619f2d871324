import fc from "fast-check";
import { expect, test } from "vitest";
import { applyKey } from "./edit-keys.ts";
import { layoutInput } from "./layout-input.ts";
import { bufferOf, erase, insert, left, type LineBuffer, right, vertical, wordLeft, wordRight } from "./line-buffer.ts";
import { graphemesOf, widthOf } from "./text-width.ts";

const key = (name: string, modifier?: "ctrl" | "meta") => ({
  name,
  ctrl: modifier === "ctrl",
  meta: modifier === "meta",
  text: "",
});
const press = (buffer: LineBuffer, ...keys: ReturnType<typeof key>[]): LineBuffer =>
  keys.reduce((now, one) => applyKey(now, one) ?? now, buffer);

test("keys move and erase by what a person sees as one character", () => {
  const family = bufferOf("a👨‍👩‍👧é");
  expect(press(family, key("left"), key("backspace"))).toEqual({ text: "aé", cursor: 1 });
  expect(press(family, key("home"), key("delete")).text).toBe("👨‍👩‍👧é");
  expect(press(bufferOf("one two  "), key("w", "ctrl")).text).toBe("one ");
  expect(press(bufferOf("one two"), key("left", "ctrl"), key("u", "ctrl")).text).toBe("two");
  expect(press(bufferOf("one two"), key("b", "meta"), key("k", "ctrl")).text).toBe("one ");
  expect(press(bufferOf("one two"), key("home"), key("f", "meta"), key("d", "meta")).text).toBe("one");
  expect(applyKey(bufferOf("x"), key("f5"))).toBeUndefined();
});

test("up and down keep the column, also over wide characters, and end at the ends", () => {
  const buffer = { text: "世界abc\nxyz\n", cursor: 9 };
  const up = vertical(buffer, "up") as LineBuffer;
  expect(up.text.slice(0, up.cursor)).toBe("世");
  expect(vertical(up, "up")).toBeUndefined();
  expect(vertical({ text: "a\nb", cursor: 3 }, "down")).toBeUndefined();
  expect(vertical({ text: "abc\nb", cursor: 3 }, "down")).toEqual({ text: "abc\nb", cursor: 5 });
});

const anyText = fc.string({ unit: "grapheme", maxLength: 60 });

test("whatever is typed and wherever the cursor goes, the text is what it should be", () => {
  fc.assert(
    fc.property(anyText, anyText, (before, after) => {
      const buffer = { text: before + after, cursor: before.length };
      for (const move of [left, right, wordLeft, wordRight]) {
        const { cursor } = move(buffer);
        expect(cursor).toBeGreaterThanOrEqual(0);
        expect(cursor).toBeLessThanOrEqual(buffer.text.length);
        const erased = erase(buffer, move);
        expect(erased.text.length + Math.abs(cursor - buffer.cursor)).toBe(buffer.text.length);
      }
      expect(insert(buffer, "x").text).toBe(`${before}x${after}`);
    }),
  );
});

test("no row is as wide as the terminal, the cursor is on its row, and nothing raw is shown", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.integer({ min: 20, max: 60 }),
      fc.nat(),
      (text, columns, at) => {
        const ends = [0];
        for (const grapheme of graphemesOf(text)) ends.push((ends.at(-1) as number) + grapheme.length);
        const cursor = ends[at % ends.length] as number;
        const { rows, row, column } = layoutInput("> ", { text, cursor }, columns, 8);
        expect(rows.length).toBeLessThanOrEqual(8);
        expect(rows[row]).toBeDefined();
        expect(column).toBeLessThan(columns);
        for (const one of rows) expect(widthOf(one)).toBeLessThan(columns);
        // oxlint-disable-next-line no-control-regex
        expect(rows.join("")).not.toMatch(/[\0-\x1f\x7f-\x9f\u202a-\u202e]/);
      },
    ),
  );
});
