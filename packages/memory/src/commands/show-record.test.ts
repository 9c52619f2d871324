import { expect, test } from "vitest";
import type { JournalFields, JournalRecord } from "../journal/journal.ts";
import { describeRecord, diffOf, lineOf, prunedLine } from "./show-record.ts";

const record = (more: Partial<JournalRecord>): JournalRecord => ({
  id: "7",
  at: new Date(0),
  uri: "ikigai:///a.md",
  owner: "ann",
  agent: "ann",
  state: "done",
  ...more,
});
const state = (text: string): { text: string; version: string } => ({ text, version: "1" });
const fields = (before: JournalFields, after: JournalFields): Partial<JournalRecord> => ({ fields: { before, after } });

test.each([
  [{ after: state("x") }, "created"],
  [{ before: state("x"), after: state("y") }, "changed"],
  [{ before: state("x") }, "removed"],
  [{ before: state("x"), ...fields({ pinned: true }, { pinned: false }) }, "removed"],
  [fields({}, { archived: true, pinned: true }), "archived, pinned"],
  [fields({}, { archived: false, pinned: false }), "brought back, unpinned"],
  [fields({}, { readOnly: true, category: "skill" }), "made read-only, category skill"],
  [fields({}, { readOnly: false, description: 'a "b"' }), 'made writable, description "a \\"b\\""'],
  [{ after: state("x"), ...fields({}, { pinned: true }) }, "created, pinned"],
])("%j is %s", (more, words) => {
  expect(describeRecord(record(more))).toBe(words);
});

test("a line has the tool, the reason and whether the end is known", () => {
  const made = { after: state("x"), tool: "file_write", reason: "undo of 3", state: "intended" } as const;
  expect(lineOf(record(made))).toBe(
    "     7  1970-01-01T00:00:00.000Z  ann  file_write  created  undo of 3  (announced, its end is not known)",
  );
  expect(lineOf(record({ after: state("x") }))).toBe("     7  1970-01-01T00:00:00.000Z  ann  -  created");
});

test("a diff shows the text that came or went, then the fields in order", () => {
  expect(diffOf(record({ after: state("new\n") }))).toContain("+new");
  expect(diffOf(record({ before: state("old\n") }))).toContain("-old");
  const both = diffOf(
    record(fields({ pinned: false, archived: true, category: "a" }, { pinned: true, archived: false, category: "b" })),
  );
  expect(both.split("\n").filter((line) => /^[+-][a-z]/.test(line))).toEqual([
    "-archived: true",
    "-category: a",
    "-pinned: false",
    "+archived: false",
    "+category: b",
    "+pinned: true",
  ]);
});

test("the history of a text counts the entries that are no longer kept", () => {
  const until = new Date(0);
  expect(prunedLine({ count: 1, lastId: "3", until })).toContain(
    "1 earlier entry up to 1970-01-01T00:00:00.000Z is no",
  );
  expect(prunedLine({ count: 2, lastId: "3", until })).toContain(
    "2 earlier entries up to 1970-01-01T00:00:00.000Z are no",
  );
});
