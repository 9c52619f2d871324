import fc from "fast-check";
import { expect, test } from "vitest";
import { createKeyEditor } from "../keys/edit-keys.ts";
import { layoutInput } from "./layout-input.ts";
import { bufferOf, erase, insert, left, type LineBuffer, right, vertical, wordLeft, wordRight } from "./line-buffer.ts";
import { edgeAfter, edgeBefore, graphemesOf, sureEdge, widthOf } from "../text/text-width.ts";

const key = (name: string, modifier?: "ctrl" | "meta") => ({
  name,
  ctrl: modifier === "ctrl",
  meta: modifier === "meta",
  text: "",
});
const press = (buffer: LineBuffer, ...keys: ReturnType<typeof key>[]): LineBuffer =>
  pressWith(createKeyEditor(), buffer, ...keys);
const pressWith = (
  editor: ReturnType<typeof createKeyEditor>,
  buffer: LineBuffer,
  ...keys: ReturnType<typeof key>[]
): LineBuffer => keys.reduce((now, one) => editor.apply(now, one) ?? now, buffer);

test("keys move and erase by what a person sees as one character", () => {
  const family = bufferOf("a👨‍👩‍👧é");
  expect(press(family, key("left"), key("backspace"))).toEqual({ text: "aé", cursor: 1 });
  expect(press(family, key("home"), key("delete")).text).toBe("👨‍👩‍👧é");
  expect(press(bufferOf("one two  "), key("w", "ctrl")).text).toBe("one ");
  expect(press(bufferOf("one two"), key("left", "ctrl"), key("u", "ctrl")).text).toBe("two");
  expect(press(bufferOf("one two"), key("b", "meta"), key("k", "ctrl")).text).toBe("one ");
  expect(press(bufferOf("one two"), key("home"), key("f", "meta"), key("d", "meta")).text).toBe("one");
  expect(createKeyEditor().apply(bufferOf("x"), key("f5"))).toBeUndefined();
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
        // oxlint-disable-next-line no-control-regex -- finding them is the point
        expect(rows.join("")).not.toMatch(/[\0-\x1f\x7f-\x9f\u202a-\u202e]/);
      },
    ),
  );
});

test.each(["\u000b", "\u0085", "\u2028", "\ufeff"])(
  "the space %j, which is shown by its code, hangs over no end of a row",
  (space) => {
    for (let columns = 20; columns < 40; columns++) {
      const { rows } = layoutInput("> ", bufferOf(`${"x".repeat(columns - 3)}${space}`), columns, 8);
      for (const row of rows) expect(widthOf(row)).toBeLessThan(columns);
    }
  },
);

test("words are of letters and digits for Alt-B and Alt-F, and between spaces for Ctrl-W", () => {
  const path = bufferOf("see src/chat-view.ts");
  expect(press(path, key("b", "meta"), key("b", "meta")).cursor).toBe("see src/chat-".length);
  expect(press(path, key("a", "ctrl"), key("f", "meta"), key("f", "meta")).cursor).toBe("see src".length);
  expect(press(path, key("backspace", "meta")).text).toBe("see src/chat-view.");
  expect(press(path, key("w", "ctrl")).text).toBe("see ");
  expect(press(bufferOf("über 世界"), key("b", "meta"), key("b", "meta")).cursor).toBe(0);
});

test("what is cut comes back, cuts that follow each other as one, and older ones in turn", () => {
  const editor = createKeyEditor();
  const cut = pressWith(editor, bufferOf("one two three"), key("w", "ctrl"), key("w", "ctrl"));
  expect(cut.text).toBe("one ");
  expect(pressWith(editor, cut, key("y", "ctrl")).text).toBe("one two three");
  const start = pressWith(editor, bufferOf("alpha beta"), key("a", "ctrl"), key("d", "meta"));
  expect(start.text).toBe(" beta");
  const back = pressWith(editor, start, key("e", "ctrl"), key("y", "ctrl"));
  expect(back.text).toBe(" betaalpha");
  expect(pressWith(editor, back, key("y", "meta")).text).toBe(" betatwo three");
  expect(pressWith(editor, bufferOf("a\nb"), key("a", "ctrl"), key("k", "ctrl"), key("k", "ctrl")).text).toBe("a\n");
  const joined = pressWith(editor, { text: "a\nb", cursor: 1 }, key("k", "ctrl"));
  expect(joined).toEqual({ text: "ab", cursor: 1 });
  expect(pressWith(createKeyEditor(), bufferOf("x"), key("y", "ctrl"), key("y", "meta")).text).toBe("x");
});

const mixed = fc.string({
  unit: fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
    fc.constantFrom("a", " ", "\n", "\r\n", "世", "e\u0301", "👨‍👩‍👧", "🇩🇪", "\udc01", "क्षि", "가"),
  ),
  maxLength: 80,
});

test("the edges found near the cursor are those of the whole text", () => {
  fc.assert(
    fc.property(mixed, (text) => {
      const segments = Array.from(new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text));
      const edges = [...segments.map(({ index }) => index), text.length];
      edges.forEach((edge, at) => {
        expect(edgeBefore(text, edge)).toBe(edges[at - 1] ?? 0);
        expect(edgeAfter(text, edge)).toBe(edges[at + 1] ?? text.length);
        expect(edges).toContain(sureEdge(text, edge));
      });
    }),
  );
});

/** A text as the list of what a person sees as single characters, edited without any cleverness. */
interface Model {
  readonly before: string[];
  readonly after: string[];
}

test("keys do to the buffer what they do to a list of characters", () => {
  const moves: Readonly<Record<string, (model: Model) => Model>> = {
    left: ({ before, after }) =>
      before.length === 0 ? { before, after } : { before: before.slice(0, -1), after: [before.at(-1) ?? "", ...after] },
    right: ({ before, after }) =>
      after.length === 0 ? { before, after } : { before: [...before, after[0] ?? ""], after: after.slice(1) },
    backspace: ({ before, after }) => ({ before: before.slice(0, -1), after }),
    delete: ({ before, after }) => ({ before, after: after.slice(1) }),
  };
  // Characters that join with no neighbour, so that the model need not know how they would.
  const single = fc.constantFrom("a", "b", " ", "世", "é", "👍", "\n", "\udc01");
  fc.assert(
    fc.property(fc.array(fc.oneof(single, fc.constantFrom(...Object.keys(moves))), { maxLength: 60 }), (steps) => {
      const editor = createKeyEditor();
      let buffer: LineBuffer = { text: "", cursor: 0 };
      let model: Model = { before: [], after: [] };
      for (const step of steps) {
        const move = moves[step];
        const pressed = move === undefined ? { ...key(""), text: step } : key(step);
        buffer = editor.apply(buffer, pressed) ?? buffer;
        model = move?.(model) ?? { before: [...model.before, step], after: model.after };
      }
      const before = model.before.join("");
      expect(buffer).toEqual({ text: before + model.after.join(""), cursor: before.length });
    }),
  );
});

test("a text of 200,000 characters is edited and laid out by looking at what is near the cursor", () => {
  const lengths: number[] = [];
  const original = Intl.Segmenter.prototype.segment;
  Intl.Segmenter.prototype.segment = function (text: string) {
    lengths.push(text.length);
    return original.call(this, text);
  };
  try {
    for (const unit of ["é", "世", "word é ", "é\n", "👍🏽", "\u0301"]) {
      const long = bufferOf(unit.repeat(200_000 / unit.length));
      const middle = { text: long.text, cursor: long.text.length / 2 };
      for (const buffer of [long, middle]) {
        press(buffer, key("left"), key("right"), key("backspace"), key("delete"), key("b", "meta"), key("f", "meta"));
        layoutInput("> ", buffer, 80, 10);
        vertical(buffer, "up");
      }
    }
  } finally {
    Intl.Segmenter.prototype.segment = original;
  }
  expect(Math.max(...lengths)).toBeLessThan(10_000);
});

test("rows hold whole words, whatever is typed", () => {
  const words = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "é"), minLength: 1, maxLength: 12 }), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(words, fc.integer({ min: 20, max: 50 }), (typed, columns) => {
      const text = typed.join(" ");
      const { rows } = layoutInput("> ", { text, cursor: 0 }, columns, 1_000);
      // The simple way: a word goes on the row where it fits, and else on the next.
      const expected: string[] = [];
      for (const word of typed) {
        const row = expected.at(-1);
        if (row !== undefined && row.length + 1 + word.length <= columns - 3)
          expected[expected.length - 1] += ` ${word}`;
        else expected.push(word);
      }
      expect(rows.map((row) => row.slice(2).trimEnd())).toEqual(expected.length === 0 ? [""] : expected);
    }),
  );
});

test("a paste is shown by its label, counts as one character and is never divided", () => {
  const shown = (character: string): string | undefined => (character === "\udc01" ? "[pasted 812 lines]" : undefined);
  const { rows, column } = layoutInput("> ", { text: "see this \udc01 x", cursor: 10 }, 25, 5, shown);
  expect(rows).toEqual(["> see this ", "  [pasted 812 lines] x"]);
  expect(column).toBe(20);
  expect(press({ text: "a \udc01", cursor: 3 }, key("backspace")).text).toBe("a ");
});

test("of a long text the same rows are seen as if all of it were laid out", () => {
  const unit = fc.constantFrom("word ", "é", "世", "\n", "a", "[x]");
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 60 }), fc.array(unit, { maxLength: 60 }), (before, after) => {
      const text = `${"line\n".repeat(40)}${before.join("")}`;
      const buffer = { text: `${text}${after.join("")}\n${"line\n".repeat(40)}`, cursor: text.length };
      const seen = layoutInput("> ", buffer, 30, 8);
      const whole = layoutInput("> ", buffer, 30, 10_000);
      const first = Math.max(0, Math.min(whole.row - 4, whole.rows.length - 8));
      expect(seen.rows).toEqual(whole.rows.slice(first, first + 8));
      expect([seen.row, seen.column]).toEqual([whole.row - first, whole.column]);
    }),
  );
});
