import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Blocks, Effect, Envelope } from "@ikigai/core";
import { createPolicy, createSourceManager, createToolRegistry, type Policy } from "@ikigai/core/host";
import { memorySource, recordingSource, undeclaredTouches } from "@ikigai/core/testing";
import {
  createBlocks,
  createBlockTools,
  createCommands,
  createFileTools,
  createHistoryTools,
  createMemoryBlockStore,
  createMemoryJournal,
  createSlashCommandTool,
  storeCommands,
} from "@ikigai/memory";
import { createKnowledgeRepository, createNoteIndex, createNoteTools } from "@ikigai/notes";
import { createMemoryRecall, createRecallTool } from "@ikigai/recall";
import { createBashJobsTool, createBashTool, createGlobTool, createGrepTool, createJobs } from "@ikigai/shell";
import { fileSource } from "@ikigai/source-file";
import fc from "fast-check";
import { expect, test } from "vitest";

const NOTE_TOOLS = /note|_tag$|^find_related$|^recall$/;
const MOUNTS = ["file", "ikigai"] as const;

/** Every tool, on sources that write down what is done to them: a real folder and texts in memory. */
async function open(root: string) {
  const recorders = { file: recordingSource(fileSource), ikigai: recordingSource(memorySource) };
  /** What was asked for, also while a call ran. */
  const judged: Effect[] = [];
  const all = createPolicy({ mode: () => "all" });
  const policy: Policy = {
    judge(effect, facts) {
      judged.push(effect);
      return all.judge(effect, facts);
    },
  };
  const registry = createToolRegistry({ policy });
  const services: { blocks?: Blocks } = {};
  const sources = createSourceManager({ registry, services });
  const blocks = createBlocks({ sources, store: createMemoryBlockStore() });
  services.blocks = blocks;
  const jobs = createJobs({ root });
  const commands = createCommands();
  const context: Parameters<typeof storeCommands>[0] = {
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
  };
  commands.register(storeCommands(context));
  registry.register([
    ...createFileTools({ sources }),
    ...createBlockTools({ blocks, sources }),
    ...createNoteTools({ repository: createKnowledgeRepository({ sources, index: createNoteIndex({ sources }) }) }),
    createRecallTool(createMemoryRecall()),
    createGrepTool({ sources }),
    createGlobTool({ sources }),
    createBashTool({ jobs, sources }),
    createBashJobsTool(jobs),
    ...createHistoryTools(context),
    createSlashCommandTool(commands),
  ]);
  await sources.mount({ mount: "file", source: recorders.file.definition, options: { root } });
  await sources.mount({ mount: "ikigai", source: recorders.ikigai.definition, options: {} });
  for (const mount of MOUNTS) {
    for (const path of ["a.md", "b/c.md"]) await sources.routePrefix(`${mount}:///`).source.write?.(path, "one\ntwo\n");
  }
  return {
    registry,
    recorders,
    judged,
    async close() {
      await jobs.close();
      await sources.close();
    },
  };
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

/** Commands over addresses, which are written back when they changed, and what looks at and ends jobs. */
const commandCalls: fc.Arbitrary<{ name: string; arguments: object }> = fc.oneof(
  fc.record({
    name: fc.constant("bash"),
    arguments: fc.record(
      {
        command: fc
          .tuple(
            fc.constantFrom("cat", "rm -f", "echo x >", "echo y >>", "touch", "cp a.md", "sed -i s/one/1/"),
            fc.constantFrom("ikigai:///a.md", "ikigai:///new.md", "file:///b/c.md", "'ikigai:///b/c.md'", "plain.txt"),
            fc.constantFrom("", "; cat ikigai:///a.md", "; exit 3"),
          )
          .map(([program, target, rest]) => `${program} ${target}${rest}`),
        cwd: fc.constantFrom(".", "b", "../out"),
        background: fc.boolean(),
      },
      { requiredKeys: ["command"] },
    ),
  }),
  fc.record({
    name: fc.constant("bash_jobs"),
    arguments: fc.record(
      { op: fc.constantFrom("list", "output", "kill"), job: fc.constantFrom("job-1", "job-2", "none") },
      { requiredKeys: ["op"] },
    ),
  }),
);

/** Inputs of the `file` tool. */
const fileCalls: fc.Arbitrary<{ name: string; arguments: object }> = fc.record({
  name: fc.constant("file"),
  arguments: fc.record(
    {
      op: fc.constantFrom(
        "load",
        "save",
        "create",
        "delete",
        "append",
        "replace",
        "list",
        "status",
        "diff",
        "reload",
        "merge",
      ),
      path: place,
      content: text,
      old: text,
      new: text,
      pattern: fc.constantFrom("*.md", "**"),
    },
    { requiredKeys: ["op", "path"] },
  ),
});

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
  fc.record({ name: fc.constant("file_delete"), arguments: fc.record({ path: place }) }),
  fc.record({ name: fc.constant("file_move"), arguments: fc.record({ from: place, to: place }) }),
  fc.record({ name: fc.constantFrom("history", "undo"), arguments: fc.record({ path: place }) }),
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

async function expectDeclared(sequence: readonly { name: string; arguments: object }[]): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "ikigai-effects-"));
  const { registry, recorders, judged, close } = await open(root);
  for (const recorder of Object.values(recorders)) recorder.take();
  for (const call of sequence) {
    const plan = await registry.plan(call).catch(() => undefined);
    for (const recorder of Object.values(recorders)) recorder.take();
    judged.length = 0;
    const envelope: Envelope = await registry.call(call);
    // What a command changed, and that names are looked through for a text that is not there, is asked for while it runs.
    const declared = [...(plan?.effects ?? []), ...judged];
    for (const [mount, recorder] of Object.entries(recorders)) {
      // A call that is refused while it is planned has only looked.
      const touches = recorder
        .take()
        .filter(({ action }) => (plan !== undefined && !NOTE_TOOLS.test(call.name)) || action !== "read");
      expect({ call, envelope, undeclared: undeclaredTouches(touches, declared, mount) }).toMatchObject({
        undeclared: [],
      });
    }
  }
  await close();
  await rm(root, { recursive: true, force: true });
}

const sequences = (one: typeof calls, maxLength: number): fc.Arbitrary<{ name: string; arguments: object }[]> =>
  fc.array(one, { minLength: 1, maxLength });

test("what a call touches lies within what it declared, whatever it is given", async () => {
  await fc.assert(fc.asyncProperty(sequences(fc.oneof(calls, noteCalls, fileCalls), 12), expectDeclared), {
    numRuns: 70,
  });
});

test("the state of a source is told without reading the texts that were loaded from it", () =>
  expectDeclared([
    { name: "file", arguments: { op: "load", path: "a.md" } },
    { name: "source", arguments: { op: "resume", source_id: "file" } },
    { name: "source", arguments: { op: "status" } },
  ]));

test("what a command does to addresses lies within what was asked for", async () => {
  await fc.assert(fc.asyncProperty(sequences(commandCalls, 5), expectDeclared), { numRuns: 8 });
});
