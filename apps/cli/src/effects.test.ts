import { createPolicy, createSourceManager, createToolRegistry, type Envelope } from "@ikigai/core";
import { memorySource, recordingSource, undeclaredTouches } from "@ikigai/core/testing";
import {
  createBlocks,
  createBlockTools,
  createCommands,
  createFileTools,
  createMemoryBlockStore,
  createMemoryJournal,
  createSlashCommandTool,
  storeCommands,
} from "@ikigai/memory";
import { createKnowledgeRepository, createNoteIndex, createNoteTools } from "@ikigai/notes";
import { createMemoryRecall, createRecallTool } from "@ikigai/recall";
import { createGlobTool, createGrepTool } from "@ikigai/shell";
import fc from "fast-check";
import { expect, test } from "vitest";

const NOTE_TOOLS = /note|_tag$|^find_related$|^recall$/;
const MOUNTS = ["file", "ikigai"] as const;

/** Every tool that works over any source, on sources that write down what is done to them. */
async function open() {
  const recorders = Object.fromEntries(MOUNTS.map((mount) => [mount, recordingSource(memorySource)]));
  const registry = createToolRegistry({ policy: createPolicy({ mode: () => "all" }) });
  const sources = createSourceManager({ registry });
  const blocks = createBlocks({ sources, store: createMemoryBlockStore() });
  const commands = createCommands();
  commands.register(
    storeCommands({
      sources,
      blocks,
      assetMount: "ikigai",
      journal: createMemoryJournal(),
      ownerOf: () => "ann",
      pins: {
        status: async () => ({ pinned: 0, limit: 1, level: "fine", pins: [] }),
        setLimit: async () => {},
      },
      assets: { async *list() {}, find: async () => undefined, change: async () => {} },
    }),
  );
  registry.register([
    ...createFileTools({ sources }),
    ...createBlockTools({ blocks, sources }),
    ...createNoteTools({ repository: createKnowledgeRepository({ sources, index: createNoteIndex({ sources }) }) }),
    createRecallTool(createMemoryRecall()),
    createGrepTool({ sources }),
    createGlobTool({ sources }),
    createSlashCommandTool(commands),
  ]);
  for (const mount of MOUNTS) {
    await sources.mount({ mount, source: recorders[mount]?.definition ?? memorySource, options: {} });
    for (const path of ["a.md", "b/c.md"]) await sources.routePrefix(`${mount}:///`).source.write?.(path, "one\ntwo\n");
  }
  return { registry, recorders };
}

const place = fc.constantFrom(
  "a.md",
  "b/c.md",
  "new.md",
  "ikigai:///a.md",
  "ikigai:///b/x.md",
  "../out",
  "file:///b",
  "",
);
const text = fc.constantFrom("one", "two", "three\n", "", "x");
const version = fc.constantFrom("v1", "v2", "other");

const note = fc.constantFrom("a", "[[c]]", "b/c", "new", "[[a#x]]", "none", "");
const folder = fc.constantFrom("b", "new", "../out");

/** Inputs of the note tools. Their index reads every note, so of these calls only the changes are compared. */
const noteCalls: fc.Arbitrary<{ name: string; arguments: object }> = fc.oneof(
  fc.record({
    name: fc.constant("create_note"),
    arguments: fc.record({ name: note, content: text, folder }, { requiredKeys: ["name", "content"] }),
  }),
  fc.record({
    name: fc.constant("update_note"),
    arguments: fc.record(
      {
        name: note,
        content: text,
        mode: fc.constantFrom("replace", "append", "section", "find_replace"),
        old: text,
        new: text,
        section: fc.constant("x"),
      },
      { requiredKeys: ["name", "mode"] },
    ),
  }),
  fc.record({
    name: fc.constantFrom("read_note", "delete_note", "get_note_metadata", "find_related"),
    arguments: fc.record({ name: note }),
  }),
  fc.record({ name: fc.constant("rename_note"), arguments: fc.record({ name: note, new_name: note }) }),
  fc.record({
    name: fc.constantFrom("add_tag", "remove_tag"),
    arguments: fc.record({ name: note, tag: fc.constantFrom("x", "#y/z") }),
  }),
  fc.record({
    name: fc.constant("recall"),
    arguments: fc.record(
      { op: fc.constantFrom("insert", "search"), content: text, query: text },
      { requiredKeys: ["op"] },
    ),
  }),
);

/** Inputs near what each tool takes, right and wrong. */
const calls: fc.Arbitrary<{ name: string; arguments: object }> = fc.oneof(
  fc.record({
    name: fc.constant("file_read"),
    arguments: fc.record(
      { path: place, offset: fc.integer({ min: -1, max: 4 }), limit: fc.nat(3) },
      { requiredKeys: ["path"] },
    ),
  }),
  fc.record({
    name: fc.constant("file_write"),
    arguments: fc.record({ path: place, content: text, expected: version }, { requiredKeys: ["path", "content"] }),
  }),
  fc.record({
    name: fc.constant("file_edit"),
    arguments: fc.record(
      { path: place, old: text, new: text, replace_all: fc.boolean() },
      { requiredKeys: ["path", "old", "new"] },
    ),
  }),
  fc.record({
    name: fc.constant("block"),
    arguments: fc.record(
      {
        op: fc.constantFrom("load", "pin", "unpin", "archive", "info", "viewport", "share"),
        label: place,
        source_id: fc.constantFrom("file", "ikigai", "none"),
        agent: fc.constant("bob"),
        permission: fc.constant("read_only"),
        start_line: fc.nat(3),
        display_lines: fc.nat(3),
      },
      { requiredKeys: ["op", "label"] },
    ),
  }),
  fc.record({
    name: fc.constant("block_edit"),
    arguments: fc.record(
      {
        op: fc.constantFrom("append", "replace", "patch", "set_field", "edit_range", "undo", "redo"),
        label: place,
        content: text,
        old: text,
        new: text,
        start: fc.nat(3),
        end: fc.nat(3),
      },
      { requiredKeys: ["op", "label"] },
    ),
  }),
  fc.record({
    name: fc.constant("source"),
    arguments: fc.record(
      { op: fc.constantFrom("list", "status", "pause", "resume"), source_id: fc.constantFrom("file", "none") },
      { requiredKeys: ["op"] },
    ),
  }),
  fc.record({
    name: fc.constantFrom("grep", "glob"),
    arguments: fc.record(
      { pattern: fc.constantFrom("one", "*.md", "**", "["), path: place },
      { requiredKeys: ["pattern"] },
    ),
  }),
  fc.record({
    name: fc.constant("slash_command"),
    arguments: fc.record({
      command: fc
        .tuple(
          fc.constantFrom(
            "/pin",
            "/unpin",
            "/assets delete",
            "/forget",
            "/history",
            "/undo",
            "/remember",
            "/compact",
            "/blocks",
          ),
          place,
        )
        .map((parts) => parts.join(" ")),
    }),
  }),
);

test("what a call touches lies within what it declared, whatever it is given", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(calls, noteCalls), { minLength: 1, maxLength: 12 }), async (sequence) => {
      const { registry, recorders } = await open();
      for (const recorder of Object.values(recorders)) recorder.take();
      for (const call of sequence) {
        const plan = await registry.plan(call).catch(() => undefined);
        for (const recorder of Object.values(recorders)) recorder.take();
        const envelope: Envelope = await registry.call(call);
        for (const [mount, recorder] of Object.entries(recorders)) {
          // A call that is refused while it is planned has only looked.
          const touches = recorder
            .take()
            .filter(({ action }) => (plan !== undefined && !NOTE_TOOLS.test(call.name)) || action !== "read");
          const declared = plan?.effects ?? [];
          expect({ call, envelope, undeclared: undeclaredTouches(touches, declared, mount) }).toMatchObject({
            undeclared: [],
          });
        }
      }
    }),
    { numRuns: 150 },
  );
});
