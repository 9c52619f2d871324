import { expect, test } from "vitest";
import { notesText, noteText, tagsText } from "./note-text.ts";

test("notes stand one on each line, with address, tags and why they were found", () => {
  const results = [
    { name: "Plan", uri: "file:///Plan.md", tags: ["work", "q1"], score: 1, snippet: "we plan" },
    { name: "Log", uri: "file:///Log.md", score: 0.5, snippet: { line: 1 } },
  ];
  expect(notesText({ results, total: 5 }, { input: { limit: 2 } })).toBe(
    'Plan <file:///Plan.md> #work #q1 we plan\nLog <file:///Log.md> {"line":1}\n[3 more of 5 are not shown]',
  );
  const related = [{ name: "Log", uri: "u", relations: [{ reason: "backlink_from" }, { reason: "same_tag" }, {}] }];
  expect(notesText({ related }, { input: {} })).toBe("Log <u> (backlink_from, same_tag, )");
  expect(notesText({ notes: [{}], total: 4 }, { input: { offset: 3 } })).toBe(" <>");
  expect(notesText({}, { input: {} })).toBe("No notes.");
});

test("tags stand one on each line with how many notes have them", () => {
  const tags = [{ tag: "a/b", count: 2 }, {}];
  expect(tagsText({ tags, total: 3 }, { input: {} })).toBe("#a/b 2\n# 0\n[1 more of 3 are not shown]");
  expect(tagsText({}, { input: {} })).toBe("No tags.");
});

test("a note is its text, then one line with address, version and number of lines", () => {
  const note = { uri: "file:///Plan.md", content: "# Plan\n", version: "v1", total_lines: 1 };
  expect(noteText(note)).toBe("# Plan\n[file:///Plan.md, version: v1, total_lines: 1]");
  expect(noteText({ ...note, content: "x", problem: "bad yaml" })).toBe(
    "x\n[file:///Plan.md, version: v1, total_lines: 1, problem: bad yaml]",
  );
  expect(noteText({})).toBe("[, version: , total_lines: 0]");
});
