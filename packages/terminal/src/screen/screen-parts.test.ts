import fc from "fast-check";
import { expect, test } from "vitest";
import { createVirtualTerminal } from "../testing/virtual-terminal.ts";
import { createInputHistory } from "../line/input-history.ts";
import { createMarkdownLines } from "../text/markdown-lines.ts";
import { fillMarker, openMarker } from "../line/markers.ts";
import { createPainter } from "./painter.ts";
import { createStyle } from "../text/style.ts";
import { cutToWidth, widthOf } from "../text/text-width.ts";
import { wrapLine } from "../text/wrap-rows.ts";

test("widths count columns, not characters", () => {
  expect(["abc", "世界", "é", "👨‍👩‍👧", "\u001b[31mred\u001b[39m", "🇩🇪"].map(widthOf)).toEqual([3, 4, 1, 2, 3, 2]);
  expect(cutToWidth("世界世界", 5)).toBe("世界…");
  expect(cutToWidth("short", 5)).toBe("short");
});

test("Markdown becomes lines as they are finished, and stays text where it does not close", () => {
  const style = {
    ...createStyle(false),
    bold: (text: string) => `<b>${text}</b>`,
    cyan: (text: string) => `<c>${text}</c>`,
  };
  const markdown = createMarkdownLines(style);
  expect(markdown.push("# Ti")).toEqual([]);
  expect(markdown.pending).toBe("# Ti");
  expect(markdown.push("tle\n- a `b` **c**\n1. one\n> said\n---\n**open\n[x](http://y)\n")).toEqual([
    "<b>Title</b>",
    "<c>•</c> a <c>b</c> <b>c</b>",
    "<c>1.</c> one",
    "▎ said",
    "────────────────────",
    "**open",
    "x (http://y)",
  ]);
  expect(markdown.push("````md\n```\n# no title\n````\nafter")).toEqual([
    "─── md",
    "<c>```</c>",
    "<c># no title</c>",
    "───",
  ]);
  expect(markdown.flush()).toEqual(["after"]);
  expect(markdown.flush()).toEqual([]);
});

test("prose is broken between words, with its indent, and code and long words are left whole", () => {
  const markdown = createMarkdownLines(createStyle(false), () => 24);
  const url = `https://example.org/${"x".repeat(30)}`;
  const code = `const value = "${"y ".repeat(20)}";`;
  expect(markdown.push(`- one two three four five six\n> said by somebody else long ago\nsee ${url} now\n`)).toEqual([
    "• one two three four",
    "  five six",
    "▎ said by somebody else",
    "▎ long ago",
    "see",
    url,
    "now",
  ]);
  expect(markdown.push(`\`\`\`ts\n${code}\n\`\`\`\n`)).toEqual(["─── ts", code, "───"]);
  expect(markdown.push("世界世界世界世界世界世界世界世界。\n")).toEqual(["世界世界世界世界世界世", "界世界世界。"]);
});

test("prose is never broken inside a word, and nothing of it is lost", () => {
  const words = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "é", "."), minLength: 1, maxLength: 30 }), {
    minLength: 1,
    maxLength: 30,
  });
  fc.assert(
    fc.property(words, fc.integer({ min: 5, max: 40 }), (typed, columns) => {
      const rows = wrapLine(typed.join(" "), columns);
      expect(rows.join(" ").split(/ +/)).toEqual(typed);
      for (const row of rows) expect(widthOf(row) <= columns || !row.includes(" ")).toBe(true);
      for (const row of wrapLine(typed.join(" "), columns, { splitsWords: true }))
        expect(widthOf(row)).toBeLessThanOrEqual(columns);
    }),
  );
});

test("a table is drawn when it is whole, in its columns and within the width", () => {
  const markdown = createMarkdownLines(createStyle(false), () => 40);
  expect(markdown.push("| name | size | what it is for |\n|:--|--:|---|\n| a.ts | 12 | the `beginning` |\n")).toEqual(
    [],
  );
  expect(markdown.pending).toContain("| a.ts | 12 |");
  expect(markdown.push("| b\\|c | 3 | a sentence that is too long for its cell |\n\nafter\n")).toEqual([
    "name │ size │ what it is for",
    "─────┼──────┼──────────────────────────",
    "a.ts │   12 │ the beginning",
    "b|c  │    3 │ a sentence that is too",
    "     │      │ long for its cell",
    "",
    "after",
  ]);
  expect(markdown.push("| no | table |\nbut | text\n")).toEqual(["| no | table |"]);
  expect(markdown.push("a | b\n--|--\n1 | 2")).toEqual(["but | text"]);
  expect(markdown.flush()).toEqual(["a   │ b", "────┼────", "1   │ 2"]);
  const wide = `|${"a|".repeat(30)}\n|${"-|".repeat(30)}\n`;
  expect([...markdown.push(wide), ...markdown.flush()]).toHaveLength(2);
});

test("hostile Markdown takes no longer than its length", () => {
  const markdown = createMarkdownLines(createStyle(true));
  for (const hostile of ["*", "`", "[", "_a", "**a", "- ", "> ", "* * ", "|", " | ", "|-", "\t"]) {
    const rows = markdown.push(`${hostile.repeat(1_900 / hostile.length)}\n${hostile.repeat(50_000)}\n`);
    expect(rows.length).toBeGreaterThanOrEqual(2);
  }
});

test("what is printed scrolls away above the area, which is painted in its place", () => {
  const terminal = createVirtualTerminal(20);
  const painter = createPainter(
    (text) => terminal.write(text),
    () => ({ columns: 20, rows: 24 }),
  );
  painter.paint({ rows: ["> hi", "status"], row: 0, column: 4 });
  painter.print("one\ntwo");
  painter.paint({ rows: ["> hi there", "  more", "status"], row: 1, column: 6 });
  expect(terminal.lines).toEqual(["one", "two", "> hi there", "  more", "status"]);
  expect(terminal.cursor).toEqual({ row: 3, column: 6 });
  painter.clear();
  expect(terminal.lines).toEqual(["one", "two", ""]);
});

test("an area that is higher than the terminal shows the rows around the cursor and leaves nothing behind", () => {
  const terminal = createVirtualTerminal(20);
  const painter = createPainter(
    (text) => terminal.write(text),
    () => ({ columns: 20, rows: 5 }),
  );
  const rows = Array.from({ length: 9 }, (_, at) => `row ${at}`);
  painter.paint({ rows, row: 7, column: 2 });
  painter.paint({ rows, row: 8, column: 2 });
  expect(terminal.lines).toEqual(["row 5", "row 6", "row 7", "row 8"]);
  painter.paint({ rows, row: 1, column: 2 });
  expect(terminal.lines).toEqual(["row 1", "row 2", "row 3", "row 4"]);
  expect(terminal.cursor).toEqual({ row: 0, column: 2 });
});

test("history goes back and forth and keeps what was being typed", () => {
  const history = createInputHistory(["one"]);
  history.add("two");
  history.add("two");
  expect(history.older("draft")).toBe("two");
  expect(history.older("two")).toBe("one");
  expect(history.older("one")).toBeUndefined();
  expect(history.newer()).toBe("two");
  expect(history.newer()).toBe("draft");
  expect(history.newer()).toBeUndefined();
  expect(history.older("draft")).toBe("two");
  history.prepend(["zero"]);
  expect([history.older("two"), history.older("one"), history.older("zero")]).toEqual(["one", "zero", undefined]);
  expect(history.search("O")).toEqual({ text: "two", place: 2 });
  expect(history.search("o", 2)).toEqual({ text: "one", place: 1 });
  expect(history.search("none")).toBeUndefined();
});

test("an open marker is found before the cursor and filled, in quotes where it must be", () => {
  const at = (text: string) => ({ text, cursor: text.length });
  expect(openMarker(at("see @src/ma"))).toEqual({ start: 4, asset: false, query: "src/ma" });
  expect(openMarker(at('see @@"my no'))).toEqual({ start: 4, asset: true, query: "my no" });
  expect(openMarker(at("me@example"))).toBeUndefined();
  expect(openMarker(at("@a.ts:10"))).toBeUndefined();
  const marker = { start: 4, asset: true, query: "x" };
  expect(fillMarker({ text: "see @@x now", cursor: 7 }, marker, "a b.md")).toEqual({
    text: 'see @@"a b.md" now',
    cursor: 15,
  });
  expect(fillMarker(at("see @@x"), marker, "a.md").text).toBe("see @@a.md ");
});
