import { IkigaiError } from "@ikigai/core";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { appendText, findReplace, replaceBody, replaceSection } from "./edit-body.ts";
import { editProperties } from "./edit-properties.ts";
import { addTag, removeTag } from "./edit-tags.ts";
import { parseNote, serialiseNote } from "./note.ts";
import { scanNote } from "./scan-note.ts";

const FRONT = [
  "---",
  "# about this note",
  "title: 'Quoted title'   # keep me",
  "",
  "tags:",
  "  # the best ones",
  "  - alpha # first",
  '  - "beta"',
  "status:   draft",
  "nested: {a: 1,   b: [x,y]}",
  "text: |",
  "  line one",
  "  # not a comment",
  "",
  "# at the end",
  "---",
  "",
].join("\n");
const NOTE = `${FRONT}# Head\n\nintro\n\n## One\n\nfirst\n\n### Deeper\n\nx\n\n## Two\n\nsecond ^b2\n`;

describe("properties", () => {
  test("a changed value leaves its comment and every other line alone", () => {
    expect(editProperties(NOTE, { title: "New" })).toBe(NOTE.replace("'Quoted title'", "New"));
    expect(editProperties(NOTE, { status: "done: yes" })).toBe(NOTE.replace("draft", '"done: yes"'));
  });

  test("the same value changes nothing", () => {
    expect(
      editProperties(NOTE, { title: "Quoted title", tags: ["alpha", "beta"], nested: { a: 1, b: ["x", "y"] } }),
    ).toBe(NOTE);
  });

  test("a new key comes after the others and before a last comment", () => {
    expect(editProperties(NOTE, { rating: 5 })).toBe(NOTE.replace("\n\n# at the end", "\nrating: 5\n\n# at the end"));
  });

  test("a removed key takes only its own lines", () => {
    expect(editProperties(NOTE, { status: null })).toBe(NOTE.replace("status:   draft\n", ""));
    expect(editProperties(NOTE, { text: null })).toBe(NOTE.replace("text: |\n  line one\n  # not a comment\n", ""));
    expect(editProperties(NOTE, { none: null })).toBe(NOTE);
  });

  test("comments at the margin stay, also among the lines of a key that goes", () => {
    const text = "---\nc:\n# why\n  - y\nd: 1\n---\n";
    expect(editProperties(text, { c: 7 })).toBe("---\nc: 7\n# why\nd: 1\n---\n");
    expect(editProperties(text, { c: null })).toBe("---\n# why\nd: 1\n---\n");
  });

  test("a list keeps the lines of the items that stay", () => {
    expect(editProperties(NOTE, { tags: ["alpha", "beta", "c: d"] })).toBe(
      NOTE.replace('- "beta"', '- "beta"\n  - "c: d"'),
    );
    expect(editProperties(NOTE, { tags: ["beta"] })).toBe(NOTE.replace("  - alpha # first\n", ""));
    expect(scanNote(editProperties(NOTE, { tags: ["x", "alpha"] })).properties["tags"]).toEqual(["x", "alpha"]);
    expect(scanNote(editProperties(NOTE, { tags: [] })).properties["tags"]).toEqual([]);
  });

  test("values of every kind are written so that they read the same", () => {
    const values = {
      a: "x: y",
      b: 1.5,
      c: true,
      d: ["- x", "[[Note]]"],
      e: { f: [1, { g: "h" }] },
      i: "two\nlines",
      __proto__x: "p",
    };
    const { properties, problem } = scanNote(editProperties(NOTE, values));
    expect(problem).toBeUndefined();
    expect(JSON.parse(JSON.stringify(properties))).toMatchObject(values);
  });

  test("a note without front matter gets some; Windows line endings stay", () => {
    expect(editProperties("# x\r\ny\r\n", { a: 1 })).toBe("---\r\na: 1\r\n---\r\n# x\r\ny\r\n");
    expect(editProperties("\uFEFFx", { a: 1 })).toBe("\uFEFF---\na: 1\n---\nx");
    expect(editProperties("x", { a: null })).toBe("x");
    expect(editProperties("---\n---\nx", { a: 1 })).toBe("---\na: 1\n---\nx");
    expect(editProperties("---\n---\nx", { a: null })).toBe("---\n---\nx");
    expect(editProperties("---\r\na: 1\r\n---\r\n", { b: [1] })).toBe("---\r\na: 1\r\nb:\r\n  - 1\r\n---\r\n");
  });

  test("JSON-like front matter can be edited too", () => {
    const { properties } = scanNote(editProperties('---\n{"a": 1, "b": 2}\n---\n', { a: 3, b: null }));
    expect({ ...properties }).toEqual({ a: 3 });
  });

  test("front matter that cannot be read is refused and stays", () => {
    expect(() => editProperties("---\na: [\n---\n", { b: 1 })).toThrow("cannot be edited");
    expect(() => editProperties("---\na: &x 1\nb: *x\n---\n", { a: null })).toThrow("cannot be edited");
  });
});

describe("bodies", () => {
  test("a new body leaves the front matter alone, unless it brings its own", () => {
    expect(replaceBody(NOTE, "new\n")).toBe(`${FRONT}new\n`);
    expect(replaceBody(NOTE, "---\na: 1\n---\nnew")).toBe("---\na: 1\n---\nnew");
    expect(replaceBody("old", "new")).toBe("new");
  });

  test("an addition goes to the end, on lines of its own", () => {
    expect(appendText("a", "b")).toBe("a\nb\n");
    expect(appendText("a\n", "b\n")).toBe("a\nb\n");
    expect(appendText("a\r\n", "b\nc")).toBe("a\r\nb\r\nc\r\n");
    expect(appendText("", "b")).toBe("b");
  });

  test("a section is replaced below its heading and nowhere else", () => {
    expect(replaceSection(NOTE, "One", "changed")).toBe(
      NOTE.replace("first\n\n### Deeper\n\nx\n", "changed\n").replace("## One\n\n", "## One\n"),
    );
    expect(replaceSection(NOTE, "head#one#deeper", "y")).toContain("### Deeper\ny\n\n## Two");
    expect(replaceSection(NOTE, "Two", "last")).toBe(NOTE.replace("## Two\n\nsecond ^b2\n", "## Two\nlast\n"));
    expect(replaceSection(NOTE, "^b2", "block")).toBe(NOTE.replace("second ^b2", "block"));
    expect(replaceSection("# A", "A", "x")).toBe("# A\nx\n");
    expect(replaceSection("# A\nx\n# B", "A", "")).toBe("# A\n# B");
  });

  test("a section or block that is not there is named with those that are", () => {
    expect(() => replaceSection(NOTE, "Three", "x")).toThrow("no section");
    expect(() => replaceSection(NOTE, "Two#Deeper", "x")).toThrow("no section");
    expect(() => replaceSection(NOTE, "^zz", "x")).toThrow("no block");
    expect(() => replaceSection("x", "", "y")).toThrow("no section");
  });

  test("a text is replaced when it occurs exactly once", () => {
    expect(findReplace(NOTE, "second", "2nd")).toBe(NOTE.replace("second", "2nd"));
  });

  test.each([
    ["absent", "nowhere", "x", "not_found"],
    ["several", "x", "y", "ambiguous"],
    ["empty", "", "y", "invalid_input"],
    ["unchanged", "intro", "intro", "invalid_input"],
  ])("a text that is %s is refused", (_, old, wanted, code) => {
    expect(() => findReplace(NOTE, old, wanted)).toThrow(expect.objectContaining({ code }));
  });

  test("lines are found whatever their ending", () => {
    expect(findReplace("a\r\nb\r\n", "a\nb", "c\nd")).toBe("c\r\nd\r\n");
  });
});

describe("tags", () => {
  test("a tag is added to the list that is there, once", () => {
    expect(addTag(NOTE, "#gamma/x")).toBe(NOTE.replace('- "beta"', '- "beta"\n  - gamma/x'));
    expect(addTag(NOTE, "ALPHA")).toBe(NOTE);
    expect(addTag("text #here", "here")).toBe("text #here");
    expect(addTag("text", "new")).toBe("---\ntags:\n  - new\n---\ntext");
    expect(addTag("---\ntags: a, b\n---\n", "c")).toBe("---\ntags: [a, b, c]\n---\n");
    expect(addTag("---\ntag: [a]\n---\n", "c")).toBe("---\ntag: [a, c]\n---\n");
  });

  test("a tag is removed wherever it stands, those below it stay", () => {
    expect(removeTag(NOTE, "alpha")).toBe(NOTE.replace("  - alpha # first\n", ""));
    expect(removeTag("x #a y #a/b `#a` #A.\n#a\n", "a")).toBe("x y #a/b `#a` .\n\n");
    expect(removeTag("---\ntags: [a]\n---\nx", "a")).toBe("---\n---\nx");
    expect(removeTag("nothing", "a")).toBe("nothing");
  });

  test("what is no tag is refused", () => {
    for (const tag of ["", "#", "12", "a b", "#!"]) {
      expect(() => addTag("x", tag)).toThrow(expect.objectContaining({ code: "invalid_input" }));
    }
  });
});

const yamlLine = fc.constantFrom(
  "a: 1",
  "b: 'two' # why",
  "# comment",
  "",
  "c:",
  "  - x",
  "  - y # z",
  "d: [1, 2]",
  "e: |",
  "  text",
  "f: {g: h}",
  "ü: é",
  "title: T",
);
const body = fc.array(fc.constantFrom("# H", "text", "", "- item #tag", "[[Link]]", "---", "```", "\ttab", "🚀"), {
  maxLength: 8,
});
const note = fc
  .tuple(fc.array(yamlLine, { maxLength: 7 }), body, fc.constantFrom("\n", "\r\n"), fc.boolean(), fc.boolean())
  .map(([yaml, lines, ending, fenced, bom]) => {
    const front = fenced ? `---${ending}${yaml.map((line) => line + ending).join("")}---${ending}` : "";
    return `${bom ? "\uFEFF" : ""}${front}${lines.join(ending)}`;
  });

test("a note that was only read is written back the same, to the byte", () => {
  fc.assert(
    fc.property(fc.oneof(note, fc.string()), (text) => {
      expect(serialiseNote(parseNote(text))).toBe(text);
    }),
    { numRuns: 1_000 },
  );
});

/** The edited text, or `undefined` when the edit was refused as it may be. */
function tryEdit(text: string, key: string, value: unknown): string | undefined {
  try {
    return editProperties(text, { [key]: value });
  } catch (error) {
    if (IkigaiError.is(error, "invalid_input")) return undefined;
    throw error;
  }
}

test("an edit of one property touches nothing but its lines", () => {
  fc.assert(
    fc.property(
      note,
      fc.constantFrom("a", "b", "c", "d", "f", "new key"),
      fc.constantFrom(7, "word", "a: b", ["p", "q"], null),
      (text, key, value) => {
        const before = parseNote(text);
        if (before.problem !== undefined) return;
        const edited = tryEdit(text, key, value);
        if (edited === undefined) return;
        const after = parseNote(edited);
        expect(after.problem).toBeUndefined();
        expect(after.body).toBe(before.body);
        const others = ({ properties }: typeof before): unknown =>
          Object.entries(properties).filter(([own]) => own !== key);
        expect(others(after)).toEqual(others(before));
        expect(after.properties[key] ?? null).toEqual(value);
        const comments = ({ yaml }: typeof before): string[] =>
          yaml.split(/\r?\n/).filter((line) => line.startsWith("#"));
        expect(comments(after)).toEqual(comments(before));
      },
    ),
    { numRuns: 800 },
  );
});

test("an edit of the body leaves the front matter alone, to the byte", () => {
  fc.assert(
    fc.property(note, fc.string(), (text, added) => {
      const before = parseNote(text);
      const after = appendText(text, added);
      expect(after.startsWith(text)).toBe(true);
      expect(before.bodyStart <= 1 || parseNote(after).yaml === before.yaml).toBe(true);
    }),
    { numRuns: 500 },
  );
});
