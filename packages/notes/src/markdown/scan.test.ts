import { describe, expect, test } from "vitest";
import { scanNote } from "../note/scan-note.ts";

function links(text: string): string[] {
  return scanNote(text)
    .links.filter(({ kind }) => kind !== "markdown")
    .map(({ raw, embed }) => (embed ? `!${raw}` : raw));
}

function tags(text: string): readonly string[] {
  return scanNote(text).tags;
}

describe("links that count", () => {
  test.each([
    ["plain, with alias and with a heading", "[[A]] [[B|b]] [[C#h]] ![[d.png]]", ["A", "B|b", "C#h", "!d.png"]],
    ["with one bracket inside", "[[Sq]uare]] [[A [b]]", ["Sq]uare", "A [b"]],
    ["up to the first closing pair", "[[Year [2020]]] [[A|[b]]]", ["Year [2020", "A|[b"]],
    ["with a bracket first", "[[[2020] Plan]] [[[A]] [[[[B]]", ["[2020] Plan", "[A", "[B"]],
    ["the inner one of two", "[[a [[Inner]] c]]", ["Inner"]],
    [
      "in headings, quotes, callouts, lists and footnotes",
      "# [[A]]\n> [[B]]\n> [!note] [[C]]\n- [[D]]\n  1. [[E]]\n\n[^1]: [[F]]\n\n    [[G]]",
      ["A", "B", "C", "D", "E", "F", "G"],
    ],
    ["in a footnote of its own", "x^[[[A]]] y", ["A"]],
    ["in %% comments, on one line and on several", "%% [[A]] %%\n\n%%\n[[B]]\n%%", ["A", "B"]],
    ["in emphasis and link text", "**[[A]]** _[[B]]_ ==[[C]]==", ["A", "B", "C"]],
    ["between inline HTML tags", "x <b>[[A]]</b> <span title='y'>[[B]]</span>", ["A", "B"]],
    ["behind a blank line inside HTML", "<details>\n<summary>x</summary>\n\n[[A]]\n\n</details>", ["A"]],
    ["in table cells with an escaped bar", "| a |\n|---|\n| [[A\\|b]] | [[C]] |", ["A\\|b", "C"]],
    ["as continuation of a list item", "- x\n\n  [[A]]\n\n\t[[B]]", ["A", "B"]],
    ["between prices", "costs $5 and [[A]] and $10", ["A"]],
    ["behind a backtick that nothing closes", "` [[A]]\n\n[[B]] `", ["A", "B"]],
    ["with a bar first, which separates nothing", "[[|]] [[|a]]", ["|", "|a"]],
    ["into the same note", "[[#Heading]] [[#^block]]", ["#Heading", "#^block"]],
    ["after an unclosed one on another line", "[[a\nb]] [[C]]", ["C"]],
    ["behind an unclosed HTML comment inside a line", "x <!-- [[A]]", ["A"]],
    ["behind dollars in a line that nothing closes", "x $$ [[A]]", ["A"]],
    ["in the text of a lazy quote", "> x\n[[A]]", ["A"]],
    [
      "behind a tag on a line of its own that goes on with an item's text",
      "- x\n<br/>\n- [[A]]\n\t- [[B]]",
      ["A", "B"],
    ],
    ["in a paragraph right after a list marker without text", "-\n  [[A]]", ["A"]],
  ])("%s", (_, text, expected) => {
    expect(links(text)).toEqual(expected);
  });
});

describe("links that do not count", () => {
  test.each([
    ["empty ones", "[[]] [[ ]] ![[]]"],
    ["in code spans", "`[[A]]` ``[[B]] ` [[C]]`` `x\n[[D]]`"],
    ["in fenced code", "```\n[[A]]\n```\n~~~md\n[[B]]\n~~~\n- x\n  ```\n  [[C]]\n  ```\n> ```\n> [[D]]"],
    ["in a fence that nothing closes", "````\n[[A]]\n```\n[[B]]"],
    ["in indented code", "x\n\n    [[A]]\n\t[[B]]"],
    ["in indented code of a list item", "- x\n\n      [[A]]"],
    ["in HTML comments", "<!-- [[A]] --> x <!-- [[B]] -->\n\n<!--\n[[C]]\n\n[[D]]\n-->"],
    [
      "in HTML blocks",
      "<div>[[A]]</div>\n[[B]]\n\n<my-tag>\n[[C]]\n\n<pre>\n\n[[D]]\n</pre>\n<?x [[E]] ?>\n\n<!X [[F]]>\n\n<![CDATA[[[G]]]]>",
    ],
    ["in attributes and autolinks", 'x <img alt="[[A]]"> <https://x/[[B]]>'],
    ["in math", "$[[A]]$ $$[[B]]$$\n\n$$\n[[C]]\n\n[[D]]\n$$\n\n$$ [[E]] $$"],
    ["in math that nothing closes", "$$ [[A]]\n\n[[B]]"],
    ["in math that starts where a formula in a line should have ended", "x $$\na\n$$\n[[A]]\n\n[[B]]"],
    ["escaped", "\\[[A]] [\\[B]]"],
    ["across a table's bar", "| a | b |\n|---|---|\n| [[A|b]] |"],
    ["across lines", "[[a\nb]]"],
    [
      "in front matter, unless a text is one link",
      "---\na: x [[A]]\nb: [[B]]\nc: '![[C]]'\nd: '[[C]] [[D]]'\ne: '[[]]'\n---\n",
    ],
  ])("%s", (_, text) => {
    expect(links(text)).toEqual([]);
  });
});

test("links in properties count when a text is one link and nothing else, wherever it is nested", () => {
  const text = '---\nup: "[[A|a]]"\nlist:\n  - "[[B]]"\n  - c\ndeep: {x: "[[C#h]]"}\n---\n[[D]]';
  expect(links(text)).toEqual(["A|a", "B", "C#h", "D"]);
  const [first] = scanNote(text).links;
  expect(text.slice(first?.start, first?.end)).toBe("[[A|a]]");
});

test("a link in a property that YAML spells otherwise has no place", () => {
  expect(scanNote('---\nup: "[[\\u0041]]"\n---\n').links).toEqual([
    { kind: "property", embed: false, raw: "A", start: -1, end: -1 },
  ]);
});

test("text that only looks like a Markdown link is none", () => {
  const texts = [
    '[a](b "c [d](e',
    "[a](b 'c",
    "[a](<b",
    "[a](((((",
    `[a](${"(".repeat(40)}${")".repeat(40)})`,
    "a](b)",
    "[a](b\\)",
  ];
  for (const text of texts) expect(scanNote(text).links.filter(({ raw }) => raw !== "e")).toEqual([]);
});

test("Markdown links are found with their destinations", () => {
  const text =
    '[a](B.md) ![c](d%20e.png) [x](<f g.md>) [t](h.md "ti(t)le") [p](q(r).md) [no](a b) [n](<x\ny>) [m]() [e](';
  expect(scanNote(text).links.map(({ raw, embed, start, end }) => [raw, embed, text.slice(start, end)])).toEqual([
    ["B.md", false, "[a](B.md)"],
    ["d%20e.png", true, "![c](d%20e.png)"],
    ["f g.md", false, "[x](<f g.md>)"],
    ["h.md", false, '[t](h.md "ti(t)le")'],
    ["q(r).md", false, "[p](q(r).md)"],
  ]);
});

describe("tags", () => {
  test.each([
    [
      "words, levels, letters of any script and emoji",
      "#a #b/c-d_e #été #标签 #🚀x",
      ["a", "b/c-d_e", "été", "标签", "🚀x"],
    ],
    ["right behind an escape, a link or code", "\\[#a [[b]]#c `d`#e", ["a", "c", "e"]],
    ["in comments, headings and table cells", "%% #a %%\n# x #b\n\n|#c|\n|---|\n|#d|", ["a", "b", "c", "d"]],
    ["once, whatever their case", "#A #a", ["A"]],
    ["without a last slash", "#a/ #b//", ["a", "b"]],
  ])("%s", (_, text, expected) => {
    expect(tags(text)).toEqual(expected);
  });

  test.each([
    ["digits only", "#1984 #12"],
    ["inside words and addresses", "a#b https://x/#c (#d"],
    ["in code, math and HTML", "`#a` $#b$ <i id='#c'> <!-- #d -->\n\n    #e"],
    ["punctuation and nothing", "# #! #. ##x"],
  ])("are not %s", (_, text) => {
    expect(tags(text)).toEqual([]);
  });

  test("in front matter come as a list, as text, and with or without the hash", () => {
    expect(tags("---\ntags: [a, '#b/c']\n---\n#d")).toEqual(["a", "b/c", "d"]);
    expect(tags("---\ntags: a, b c\ntag: e\n---\n")).toEqual(["a", "b", "c", "e"]);
    expect(tags("---\ntags:\n  - 2024\n  - ok\n  - [x]\n  -\n---\n")).toEqual(["ok"]);
  });
});

test("headings of both kinds are found, those in code and comments are not", () => {
  const text =
    "# One ##\n\nTwo\n---\n\ntwo\nlines\n---\n\nitem\n- \n\n###### Six\n####### seven\n```\n# no\n```\n%%\n# no\n%%\nThree\n===\n#";
  expect(scanNote(text).headings.map(({ level, text: title }) => `${level} ${title}`)).toEqual([
    "1 One",
    "2 Two",
    "6 Six",
    "1 Three",
    "1 ",
  ]);
});

test("headings in quotes and lists are part of those, as in Obsidian's outline", () => {
  const text = "> # Quoted\n> x\n> ---\n\n- # Item\n\n# Own";
  expect(scanNote(text).headings.map((heading) => heading.text)).toEqual(["Own"]);
});

test("block ids stand at the end of paragraphs, items and below tables", () => {
  const text = "para ^one\n\n- item ^two\n- more\n\n| a |\n|---|\n\n^three\n\nnot^four\n\n```\nx ^five\n```";
  expect(scanNote(text).blocks.map(({ id }) => id)).toEqual(["one", "two", "three"]);
});

test("title, aliases and problems come from the front matter", () => {
  expect(scanNote("---\ntitle: T\naliases: [a, b]\nalias: c\n---\n# H")).toMatchObject({
    title: "T",
    aliases: ["a", "b", "c"],
  });
  expect(scanNote("# H\n")).toMatchObject({ title: "H", aliases: [] });
  expect(scanNote("---\naliases: a, b\n---\n").aliases).toEqual(["a", "b"]);
  expect(scanNote("---\n: [\n---\n").problem).toBeDefined();
  expect(scanNote("---\n- a\n---\n").problem).toContain("not a list of keys");
});

test("Windows line endings and a byte order mark change nothing", () => {
  const text = '---\nup: "[[A]]"\n---\n# H\n\n- [[B]] #t\n\n```\n[[C]]\n```\n[[D]] ^id\n';
  const scan = scanNote(text);
  const windows = scanNote(`\uFEFF${text.replaceAll("\n", "\r\n")}`);
  expect(windows.links.map(({ raw }) => raw)).toEqual(scan.links.map(({ raw }) => raw));
  expect(windows.tags).toEqual(scan.tags);
  expect(windows.headings.map((heading) => heading.text)).toEqual(["H"]);
  expect(windows.blocks.map(({ id }) => id)).toEqual(["id"]);
});
