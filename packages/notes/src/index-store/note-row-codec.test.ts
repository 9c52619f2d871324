import fc from "fast-check";
import { expect, test } from "vitest";
import { noteRowCodec } from "./note-row-codec.ts";
import { type NoteRow, toNoteRow } from "./note-row.ts";

const row = (text: string, path = "a/Note.md"): NoteRow =>
  toNoteRow("file", { path, bytes: text.length, modifiedAt: new Date(5) }, { text, version: "v1" });

test("a row is the same after it was kept as text", () => {
  const text = [
    "---\ntitle: T\naliases: [A, B]\ntags: [x/y]\nrank: 3\nup: '[[Up]]'\n---",
    "# One\n\n[[Two#Part|two]] ![[Pic.png]] [three](Three%20x.md) #tag\n\ntext ^block\n\n## Sub\n",
  ].join("\n");
  const before = row(text);
  expect(before.links).toHaveLength(4);
  const after = noteRowCodec.decode(noteRowCodec.encode(before), "file");
  expect({ ...after }).toEqual(before);
  expect(after.links).toBe(after.links);
});

test("a stored row of a note keeps absent fields absent, and keeps the note's problem", () => {
  const { bytes: _, modifiedAt: __, ...bare } = row("---\na: [\n---\n");
  expect(bare.problem).toBeDefined();
  const after = noteRowCodec.decode(noteRowCodec.encode({ ...bare, unsettled: true }), "file");
  expect(after).not.toHaveProperty("bytes");
  expect(after).not.toHaveProperty("modifiedAt");
  expect(after.unsettled).toBe(true);
  expect({ ...after }).toEqual({ ...bare, unsettled: true });
  const { problem: ___, ...fine } = bare;
  expect(noteRowCodec.decode(noteRowCodec.encode({ ...fine, unsettled: true }), "file")).toMatchObject({
    unsettled: true,
  });
});

test("rows that an earlier version kept as one object are read", () => {
  const before = row("# One\n");
  expect(noteRowCodec.decode(JSON.stringify(before), "file")).toEqual(before);
});

test("any text makes a row that is the same after it was kept", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
      const before = row(text);
      expect({ ...noteRowCodec.decode(noteRowCodec.encode(before), "file") }).toEqual(before);
    }),
  );
});
