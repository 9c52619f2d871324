import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLinkTargets } from "./link-targets.ts";

const FILES = [
  "Note.md",
  "b/Note.md",
  "a/b/Note.md",
  "zzzz/Note.md",
  "zzzz/Other.md",
  "a/Twin.md",
  "bb/Twin.md",
  "b/Twin.md",
  "deep/er/Only.md",
  "Café.md",
  "pics/photo.PNG",
  "v1.2.md",
  "LICENSE",
  "Odd\u00a0Space.md",
  "ab/Part.md",
  "zzz/sub/Near.md",
  "q/Near.md",
];

describe("a link leads where Obsidian goes", () => {
  test.each([
    ["the note itself for an empty path", "", "b/Note.md", "b/Note.md"],
    ["a whole path before a note beside it", "Note", "zzzz/Other.md", "Note.md"],
    ["a whole path with folders", "b/Note", "a/b/Note.md", "b/Note.md"],
    ["the only note of that name, wherever it is", "Only", "Note.md", "deep/er/Only.md"],
    ["a name in any case", "only", "Note.md", "deep/er/Only.md"],
    ["a name with its extension, in any case", "Only.MD", "Note.md", "deep/er/Only.md"],
    ["a note in the own folder before a shorter path", "Twin", "bb/x.md", "bb/Twin.md"],
    ["a note below the own folder before a shorter path", "Near", "zzz/x.md", "zzz/sub/Near.md"],
    ["the shortest path otherwise", "Twin", "deep/x.md", "a/Twin.md"],
    ["a path that ends like the link", "er/Only", "Note.md", "deep/er/Only.md"],
    ["from the own folder with ./", "./Note", "b/x.md", "b/Note.md"],
    ["from the folder above with ../", "../Note", "a/b/x.md", undefined],
    ["two folders up", "../../b/Twin", "a/b/x.md", "b/Twin.md"],
    ["up with a needless ./", "./../b/Note", "a/x.md", "b/Note.md"],
    ["nowhere when ./ finds nothing", "./Only", "b/x.md", undefined],
    ["anywhere when ./ finds nothing from the root, as Obsidian does", "./Only", "Note.md", "deep/er/Only.md"],
    ["from the root with /", "/b/Note", "a/b/x.md", "b/Note.md"],
    ["nowhere when / finds nothing", "/er/Only", "Note.md", undefined],
    ["nowhere for an unknown name", "Nothing", "Note.md", undefined],
    ["nowhere for an unknown folder", "x/Only", "Note.md", undefined],
    ["composed and decomposed letters alike", "Cafe\u0301", "Note.md", "Café.md"],
    ["attachments by name with extension", "photo.png", "Note.md", "pics/photo.PNG"],
    ["no attachment without its extension", "photo", "Note.md", undefined],
    ["a name with a dot in it", "v1.2", "Note.md", "v1.2.md"],
    ["no file without an extension", "LICENSE", "Note.md", undefined],
    ["hard spaces as spaces", "odd space", "Note.md", "Odd\u00a0Space.md"],
    ["a folder by the end of its name, as Obsidian does", "b/Part", "Note.md", "ab/Part.md"],
    ["nowhere for a folder", "zzzz/", "Note.md", undefined],
  ])("%s", (_, link, from, expected) => {
    expect(createLinkTargets(FILES).resolve(link, from).path).toBe(expected);
  });
});

test("several matches are all named, the chosen one first", () => {
  const { candidates } = createLinkTargets(FILES).resolve("Twin", "Note.md");
  expect(candidates).toEqual(["a/Twin.md", "b/Twin.md", "bb/Twin.md"]);
});

test("the answer does not depend on the order in which files came, nor on files that left", () => {
  const path = fc
    .array(fc.constantFrom("a", "b", "ab", "x"), { minLength: 1, maxLength: 3 })
    .map((parts) => `${parts.join("/")}.md`);
  fc.assert(
    fc.property(
      fc.uniqueArray(path, { maxLength: 8 }),
      path,
      fc.constantFrom("x", "a/x", "./b", "../a", "/a"),
      (files, left, link) => {
        const one = createLinkTargets(files);
        const other = createLinkTargets([left, ...files.toReversed()]);
        if (!files.includes(left)) other.remove(left);
        other.remove("never there");
        const from = "a/b/here.md";
        expect(other.resolve(link, from)).toEqual(one.resolve(link, from));
        expect(other.size).toBe(files.length);
      },
    ),
  );
});
