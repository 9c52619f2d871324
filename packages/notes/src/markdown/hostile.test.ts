import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scanNote } from "../note/scan-note.ts";

const MEGABYTE = 1_000_000;
const LAUGHS = [
  "a: &a [lol, lol]",
  ..."bcdefghijklmn".split("").map((key, at) => `${key}: &${key} [${`*${"abcdefghijklm"[at]},`.repeat(9)}]`),
];

/** Each must be read in far less than a second; anything quadratic would take minutes. */
const HOSTILE: readonly (readonly [string, string])[] = [
  ["a script instead of YAML", "---js\nglobalThis.hacked = true;\n---\n[[A]]"],
  ["a billion laughs", `---\n${LAUGHS.join("\n")}\n---\n[[A]]`],
  ["front matter that never ends", `---\n${"a: b\n".repeat(200_000)}`],
  ["front matter of a megabyte", `---\n${"k".repeat(MEGABYTE)}: x\n---\n[[A]]`],
  ["front matter nested by brackets", `---\na: ${"[".repeat(60_000)}\n---\n[[A]]`],
  ["front matter nested by dashes", `---\n${"- ".repeat(50_000)}x\n---\n[[A]]`],
  [
    "front matter nested by indentation",
    `---\n${Array.from({ length: 500 }, (_, at) => `${" ".repeat(at)}a:`).join("\n")}\n---\n[[A]]`,
  ],
  ["front matter of question marks", `---\n${"? ".repeat(50_000)}\n---\n[[A]]`],
  ["prototypes as keys", "---\n__proto__: {polluted: true}\nconstructor: {prototype: {polluted: true}}\n---\n[[A]]"],
  ["a note with NUL", `\0${"[[\0]]".repeat(1_000)}\0`],
  ["lone surrogates", "[[\ud800]] #\udfff \ud83d"],
  ["ten megabytes of text", "word [[A]] #tag `code` *x*\n\n".repeat(380_000)],
  ["lists 3,000 deep", Array.from({ length: 3_000 }, (_, at) => `${"  ".repeat(at)}- [[A${at}]]`).join("\n")],
  ["lists deep in one line", `${"- ".repeat(200_000)}[[A]]`],
  ["quotes deep in one line", `${"> ".repeat(200_000)}[[A]]\n`.repeat(3)],
  ["deep lists and blank lines", `${"- ".repeat(3_000)}x\n${"\n".repeat(MEGABYTE)}`],
  ["a cycle of embeds", "![[hostile]]\n![[hostile#a]]"],
  ...[
    "[[",
    "]]",
    "[[a",
    "![[",
    "[[[",
    "[[a]",
    "[",
    "](",
    "](a",
    "](<",
    '](a "',
    "[a](",
    "`",
    "` ``",
    "<",
    "<a ",
    "<a b='",
    '<a b="',
    "<!--",
    "<!-- -->",
    "$",
    "$a ",
    "$$",
    "$$\n",
    "#",
    "#a/",
    "%%",
    "%%\n",
    "^",
    "^[",
    "\\",
    "|",
    "|\n|-|\n",
    "a|b\n-|-\n",
    "> ",
    "- ",
    "1. ",
    "-\n",
    "\t",
    "  ",
    "\n",
    "\r",
    "\r\n",
    "---\n",
    "===\n",
    "```\n",
    "~~~",
    "<div>\n",
    "<?",
    "[^a]: ",
    "[^",
    "**a",
    "a\n=\n",
    "[[a#",
    "[[a|",
  ].map(
    (unit) => [`${JSON.stringify(unit)} again and again`, unit.repeat(Math.ceil(MEGABYTE / 3 / unit.length))] as const,
  ),
  ["openers before one closer", `${"[[".repeat(250_000)}${"a".repeat(500_000)}]]`],
  ["backtick runs of every length", Array.from({ length: 1_400 }, (_, at) => `${"`".repeat(at)} `).join("")],
];

describe("hostile notes are read like any other", () => {
  test.each(HOSTILE)("%s", (_, text) => {
    const scan = scanNote(text);
    expect(scan.bodyStart).toBeLessThanOrEqual(text.length);
    expect(scan.links.every(({ end }) => end <= text.length)).toBe(true);
  });

  test("nothing in them runs or leaks into other objects", () => {
    for (const [, text] of HOSTILE.slice(0, 9)) scanNote(text);
    expect(globalThis).not.toHaveProperty("hacked");
    expect({}).not.toHaveProperty("polluted");
    const { properties } = scanNote("---\n__proto__: {polluted: true}\n---\n");
    expect(Object.keys(properties)).toEqual(["__proto__"]);
    expect(properties["polluted"]).toBeUndefined();
  });

  test("what cannot be read of the front matter is said, and the body counts all the same", () => {
    for (const name of ["a billion laughs", "front matter of a megabyte", "front matter nested by brackets"]) {
      const [, text] = HOSTILE.find(([one]) => one === name) as readonly [string, string];
      const scan = scanNote(text);
      expect(scan.problem).toBeDefined();
      expect(scan.links.map(({ raw }) => raw)).toEqual(["A"]);
    }
  });
});

const fragment = fc.constantFrom(
  ..."[[ ]] ![[ [ ] ( ) ` `` ``` ~~~ $ $$ < > <!-- --> <div> # #a %% ^ ^[ \\ | - * > 1. --- === : \" ' a b".split(" "),
  " ",
  "  ",
  "    ",
  "\t",
  "\n",
  "\n\n",
  "\r\n",
  "\0",
  "é",
  "🚀",
  "\ud800",
);
const noteText = fc.array(fragment, { maxLength: 80 }).map((parts) => parts.join(""));

test("any text can be scanned, and every place it names is there", () => {
  fc.assert(
    fc.property(fc.oneof(noteText, fc.string()), (text) => {
      const scan = scanNote(text);
      for (const { kind, raw, embed, start, end } of scan.links) {
        if (start === -1) continue;
        const whole = text.slice(start, end);
        const fits = kind === "markdown" ? whole.includes(raw) : whole === `${embed ? "!" : ""}[[${raw}]]`;
        expect(fits).toBe(true);
      }
      for (const { tag, start, end } of scan.bodyTags) expect(text.slice(start, end)).toBe(`#${tag}`);
      const starts = scan.links.filter(({ kind }) => kind === "wikilink").map(({ start }) => start);
      expect(starts).toEqual(starts.toSorted((one, other) => one - other));
    }),
    { numRuns: 1_000 },
  );
});
