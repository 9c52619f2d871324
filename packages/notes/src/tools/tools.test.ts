import { tmpdir } from "node:os";
import type { Envelope } from "@ikigai/core";
import { createPolicy, createSourceManager, createToolRegistry, type ToolRegistry } from "@ikigai/core/host";
import { describe, expect, test } from "vitest";
import { createNoteIndex } from "../index-store/create-note-index.ts";
import { createKnowledgeRepository } from "../repository/create-repository.ts";
import { directorySource } from "../testing/directory-block.ts";
import { type Notebook, openNotebook } from "../testing/notebook.ts";
import { createNoteTools } from "./create-note-tools.ts";

const NOTES = {
  "Plan.md":
    "---\ntags: [work]\n# why\nstatus: draft\n---\n# Plan\n\nintro\n\n## Steps\n\none\ntwo\n\n## End\n\nlast ^e1\n",
  "Log.md": "[[Plan]] [[Plan#Steps|steps]]",
  "a/Twin.md": "",
  "b/Twin.md": "",
  "Broken.md": "---\na: [\n---\nx",
};

interface Desk extends Notebook {
  readonly registry: ToolRegistry;
  readonly call: (name: string, input: object, conversation?: string) => Promise<Envelope>;
  readonly data: (name: string, input: object, conversation?: string) => Promise<Record<string, unknown>>;
}

async function openDesk(notes: Record<string, string> = NOTES): Promise<Desk> {
  const notebook = await openNotebook(notes);
  const registry = createToolRegistry({ policy: createPolicy({ mode: () => "all" }) });
  registry.register(createNoteTools({ repository: notebook.repository }));
  const call: Desk["call"] = (name, input, conversation = "c1") =>
    registry.call({ name, arguments: JSON.stringify(input) }, { conversation });
  return {
    ...notebook,
    registry,
    call,
    async data(name, input, conversation) {
      const envelope = await call(name, input, conversation);
      if (!envelope.success) throw new Error(`${envelope.code}: ${envelope.error}`);
      return envelope.data as Record<string, unknown>;
    },
  };
}

test("every tool is registered with a title, a strict input and annotations", async () => {
  const { registry } = await openDesk();
  const { cards } = registry.snapshot();
  expect(cards.map(({ name }) => name)).toEqual([
    "read_note",
    "get_note_metadata",
    "list_notes",
    "create_note",
    "delete_note",
    "update_note",
    "rename_note",
    "search_notes",
    "search_by_tags",
    "search_by_properties",
    "find_related",
    "list_tags",
    "add_tag",
    "remove_tag",
  ]);
  for (const { title, annotations, inputSchema } of cards) {
    expect(title).toBeDefined();
    expect(annotations).toBeDefined();
    expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
  }
});

describe("read_note", () => {
  test("gives the whole, a section, a block or lines", async () => {
    const { data, block } = await openDesk();
    const whole = await data("read_note", { name: "[[plan]]" });
    expect(whole).toEqual({
      name: "Plan",
      uri: "file:///Plan.md",
      content: NOTES["Plan.md"],
      version: block.files.get("Plan.md")?.version,
      total_lines: 17,
    });
    expect(await data("read_note", { name: "Plan", section: "Steps" })).toMatchObject({
      content: "## Steps\n\none\ntwo\n\n",
    });
    expect(await data("read_note", { name: "[[Plan#Plan#Steps]]" })).toMatchObject({
      content: "## Steps\n\none\ntwo\n\n",
    });
    expect(await data("read_note", { name: "Plan#^e1" })).toMatchObject({ content: "last ^e1" });
    expect(await data("read_note", { name: "Plan", start: 2, end: 3 })).toMatchObject({
      content: "tags: [work]\n# why\n",
    });
    expect(await data("read_note", { name: "Plan", section: "Steps", start: 3, end: 3 })).toMatchObject({
      content: "one\n",
    });
    expect(await data("read_note", { name: "Plan", start: 17 })).toMatchObject({ content: "last ^e1\n" });
    expect(await data("read_note", { name: "Broken" })).toMatchObject({ problem: expect.any(String) });
  });

  test("refuses lines, sections and names that are not there, with what could be meant", async () => {
    const { call } = await openDesk();
    expect(await call("read_note", { name: "Plan", start: 99 })).toMatchObject({ code: "invalid_input" });
    expect(await call("read_note", { name: "Plan", start: 3, end: 2 })).toMatchObject({ code: "invalid_input" });
    expect(await call("read_note", { name: "Plan", section: "None" })).toMatchObject({
      code: "not_found",
      error: expect.stringContaining("Steps"),
    });
    expect(await call("read_note", { name: "Nothing" })).toMatchObject({
      code: "not_found",
      details: { error_type: "not_found", note_name: "Nothing" },
    });
    expect(await call("read_note", { name: "Twin" })).toMatchObject({
      code: "ambiguous",
      details: {
        error_type: "ambiguous",
        note_name: "Twin",
        match_count: 2,
        candidates: [{ folder: "file:///a" }, { folder: "file:///b" }],
      },
    });
    expect(await call("read_note", { name: "Plan", extra: 1 })).toMatchObject({ code: "invalid_input" });
  });
});

describe("update_note", () => {
  test("replaces the body of a note that this conversation has read, and of no other", async () => {
    const { call, data, block } = await openDesk();
    const input = { name: "Plan", content: "new\n" };
    expect(await call("update_note", input)).toMatchObject({
      code: "conflict",
      error: expect.stringContaining("was not read"),
    });
    await data("read_note", { name: "Plan" }, "other");
    expect(await call("update_note", input)).toMatchObject({ code: "conflict" });
    const { version } = await data("read_note", { name: "Plan" });
    block.put("Plan.md", `${NOTES["Plan.md"]}more`);
    expect(await call("update_note", input)).toMatchObject({
      code: "conflict",
      error: expect.stringContaining("changed since"),
    });
    expect(await call("update_note", { ...input, expected: version })).toMatchObject({ code: "conflict" });
    await data("read_note", { name: "Plan" });
    await data("update_note", input);
    await data("update_note", { ...input, content: "newer\n" });
    expect(block.files.get("Plan.md")?.text).toBe("---\ntags: [work]\n# why\nstatus: draft\n---\nnewer\n");
    const current = block.files.get("Plan.md")?.version;
    await data("update_note", { ...input, content: "last\n", expected: current }, "fresh");
  });

  test("appends, replaces a section or one text, and sets properties, each alone", async () => {
    const { data, block } = await openDesk();
    const text = (): string => block.files.get("Plan.md")?.text as string;
    await data("update_note", { name: "Plan", mode: "append", content: "added" });
    expect(text()).toBe(`${NOTES["Plan.md"]}added\n`);
    await data("update_note", { name: "Plan", mode: "section", section: "Steps", content: "three" });
    expect(text()).toContain("## Steps\nthree\n\n## End");
    await data("update_note", { name: "Plan", mode: "find_replace", old: "intro", new: "outro" });
    expect(text()).toContain("outro");
    await data("update_note", { name: "Plan", properties: { status: "done", rating: 5, tags: null } });
    expect(text().startsWith("---\n# why\nstatus: done\nrating: 5\n---\n# Plan\n\noutro")).toBe(true);
    expect(await data("update_note", { name: "Plan", properties: { status: "done" } })).toMatchObject({
      changed: false,
    });
  });

  test.each([
    [{}, "content or properties"],
    [{ mode: "append" }, "needs content"],
    [{ mode: "section", content: "x" }, "needs section"],
    [{ mode: "find_replace", old: "x" }, "needs old and new"],
    [{ mode: "find_replace", old: "x", new: "y", content: "z" }, "not content"],
    [{ content: "x", section: "y" }, "belongs to mode"],
    [{ content: "x", old: "y" }, "belong to mode"],
  ])("refuses %j before anything is asked or changed", async (fields, problem) => {
    const { call } = await openDesk();
    expect(await call("update_note", { name: "Plan", ...fields })).toMatchObject({
      code: "invalid_input",
      error: expect.stringContaining(problem),
    });
  });

  test("asks for appending only when it only appends, and shows what will be", async () => {
    const { registry } = await openDesk();
    const tool = registry.get("update_note");
    const plan = {
      agent: "a",
      conversation: "c",
      callId: "1",
      tool: "update_note",
      signal: new AbortController().signal,
    };
    expect(await tool?.effects({ name: "Plan", mode: "append", content: "x" }, plan)).toEqual([
      { action: "append", target: "file:///Plan.md" },
    ]);
    expect(await tool?.effects({ name: "Plan", mode: "append", content: "x", properties: {} }, plan)).toEqual([
      { action: "update", target: "file:///Plan.md" },
    ]);
    expect(await tool?.preview?.({ name: "Plan", mode: "append", content: "x" }, plan)).toMatchObject({
      after: `${NOTES["Plan.md"]}x\n`,
    });
  });
});

describe("create_note, delete_note and rename_note", () => {
  test("a note is created once, read and replaced in one conversation", async () => {
    const { call, data } = await openDesk();
    expect(await data("create_note", { name: "New", content: "x", folder: "sub" })).toMatchObject({
      uri: "file:///sub/New.md",
    });
    await data("update_note", { name: "New", content: "y" });
    expect(await call("create_note", { name: "new", content: "x", folder: "sub" })).toMatchObject({ code: "conflict" });
    expect(await call("create_note", { name: "a|b", content: "x" })).toMatchObject({ code: "invalid_input" });
    expect(await call("create_note", { name: "up", content: "x", folder: "../.." })).toMatchObject({
      code: "permission_denied",
    });
  });

  test("deleting warns of links that will break", async () => {
    const { registry, data } = await openDesk();
    const plan = {
      agent: "a",
      conversation: "c",
      callId: "1",
      tool: "delete_note",
      signal: new AbortController().signal,
    };
    const tool = registry.get("delete_note");
    expect(await tool?.preview?.({ name: "Plan" }, plan)).toMatchObject({
      warning: "1 notes link to it, and those links will break: Log",
    });
    expect(await tool?.preview?.({ name: "Log" }, plan)).not.toHaveProperty("warning");
    expect(await tool?.effects({ name: "Log" }, plan)).toEqual([{ action: "delete", target: "file:///Log.md" }]);
    expect(await data("delete_note", { name: "Plan" })).toEqual({
      uri: "file:///Plan.md",
      deleted: true,
      broken_links: [{ uri: "file:///Log.md", count: 2 }],
    });
  });

  test("a note changed since the index saw it is not deleted", async () => {
    const { call, block } = await openDesk();
    block.put("Plan.md", "changed");
    expect(await call("delete_note", { name: "Plan" })).toMatchObject({ code: "conflict" });
    expect(await call("delete_note", { name: "Plan" })).toMatchObject({ success: true });
  });

  test("renaming names every note it will write, and rewrites them", async () => {
    const { registry, data, block } = await openDesk();
    const plan = {
      agent: "a",
      conversation: "c",
      callId: "1",
      tool: "rename_note",
      signal: new AbortController().signal,
    };
    const tool = registry.get("rename_note");
    expect(await tool?.effects({ name: "Plan", new_name: "Goal" }, plan)).toEqual([
      { action: "create", target: "file:///Goal.md" },
      { action: "delete", target: "file:///Plan.md" },
      { action: "update", target: "file:///Log.md" },
    ]);
    expect(await tool?.preview?.({ name: "Plan", new_name: "Goal" }, plan)).toMatchObject({ count: 2 });
    expect(await data("rename_note", { name: "Plan", new_name: "Goal" })).toMatchObject({
      uri: "file:///Goal.md",
      rewritten: ["file:///Log.md"],
    });
    expect(block.files.get("Log.md")?.text).toBe("[[Goal]] [[Goal#Steps|steps]]");
    await data("rename_note", { name: "Goal", new_name: "Goal", folder: "moved" });
    expect(block.files.get("Log.md")?.text).toBe("[[Goal]] [[Goal#Steps|steps]]");
    await data("rename_note", { name: "a/Twin", new_name: "Triplet" });
    expect([...block.files.keys()]).toContain("a/Triplet.md");
    await data("rename_note", { name: "Triplet", new_name: "x/Single" });
    expect([...block.files.keys()]).toContain("x/Single.md");
  });

  test("a note that links since the approval is asked for before anything is written", async () => {
    const { registry, block, index } = await openDesk();
    const tool = registry.get("rename_note");
    const asked: string[] = [];
    const context = {
      agent: "a",
      conversation: "c",
      callId: "1",
      tool: "rename_note",
      signal: new AbortController().signal,
      progress: () => undefined,
      permit: async (effects: readonly { target: string }[]) => {
        asked.push(...effects.map(({ target }) => target));
        throw new Error("no");
      },
    };
    const input = { name: "Plan", new_name: "Goal" };
    await tool?.effects(input, context);
    block.put("Late.md", "[[Plan]]");
    await index.noteChanged("file:///Late.md");
    const before = new Map(block.files);
    await expect(tool?.run(input, context)).rejects.toThrow("no");
    expect(asked).toEqual(["file:///Late.md"]);
    expect(block.files).toEqual(before);
  });

  test("what runs is the note that was approved, even when another takes its name", async () => {
    const { registry, block, index } = await openDesk({ "x/Plan.md": "old" });
    const tool = registry.get("delete_note");
    const context = {
      agent: "a",
      conversation: "c",
      callId: "1",
      tool: "delete_note",
      signal: new AbortController().signal,
      progress: () => undefined,
      permit: async () => undefined,
    };
    const input = { name: "Plan" };
    expect(await tool?.effects(input, context)).toEqual([{ action: "delete", target: "file:///x/Plan.md" }]);
    block.put("Plan.md", "new");
    await index.noteChanged("file:///Plan.md");
    await tool?.run(input, context);
    expect([...block.files.keys()]).toEqual(["Plan.md"]);
  });
});

test("metadata, lists and searches answer with plain data", async () => {
  const { data } = await openDesk();
  expect(await data("get_note_metadata", { name: "Plan" })).toMatchObject({
    name: "Plan",
    tags: ["work"],
    properties: { status: "draft" },
    backlinks: [{ name: "Log", uri: "file:///Log.md", count: 2 }],
    forward_links: [],
    unresolved_links: [],
    modified_at: expect.any(String),
    created_at: expect.any(String),
  });
  expect(await data("get_note_metadata", { name: "Broken" })).toMatchObject({ problem: expect.any(String) });
  expect(await data("list_notes", { limit: 1, offset: 1 })).toMatchObject({ notes: [{ name: "Log" }], total: 5 });
  expect(await data("list_notes", { path: "a" })).toMatchObject({ notes: [{ name: "Twin" }], total: 1 });
  expect(await data("search_notes", { query: "intro" })).toMatchObject({
    results: [{ name: "Plan", snippet: "intro" }],
  });
  expect(await data("search_by_tags", { tags: ["#work"] })).toMatchObject({ results: [{ name: "Plan" }], total: 1 });
  expect(await data("search_by_properties", { properties: { status: { in: ["draft"] } } })).toMatchObject({
    results: [{ name: "Plan" }],
  });
  expect(await data("find_related", { name: "Log" })).toMatchObject({
    related: [{ name: "Plan", relations: expect.arrayContaining([{ reason: "forwardlink_to", score: 0.6 }]) }],
  });
  expect(await data("list_tags", {})).toEqual({ tags: [{ tag: "work", count: 1 }], total: 1 });
});

test.each([{}, { properties: {} }, { properties: { status: {} } }, { properties: { status: [] } }])(
  "a search by properties without a condition, %j, is refused",
  async (input) => {
    const { call } = await openDesk();
    expect(await call("search_by_properties", input)).toMatchObject({ success: false, code: "invalid_input" });
  },
);

test("search by meaning says that it needs an embedder", async () => {
  const { call } = await openDesk();
  expect(await call("search_notes", { query: "x", by: "meaning" })).toMatchObject({ code: "unsupported" });
});

test("tags are added and removed by name", async () => {
  const { call, data, block } = await openDesk();
  expect(await data("add_tag", { name: "Plan", tag: "#urgent" })).toMatchObject({ changed: true });
  expect(block.files.get("Plan.md")?.text).toContain("tags: [work, urgent]\n# why\n");
  expect(await data("remove_tag", { name: "Plan", tag: "work" })).toMatchObject({ changed: true });
  expect(await data("remove_tag", { name: "Plan", tag: "work" })).toMatchObject({ changed: false });
  expect(await call("add_tag", { name: "Plan", tag: "no good" })).toMatchObject({ code: "invalid_input" });
});

test("without approval nothing is written, and the refusal is told apart", async () => {
  const { repository, block } = await openNotebook(NOTES);
  const registry = createToolRegistry();
  registry.register(createNoteTools({ repository }));
  const before = new Map(block.files);
  for (const [name, input] of [
    ["create_note", { name: "X", content: "" }],
    ["update_note", { name: "Plan", mode: "append", content: "x" }],
    ["delete_note", { name: "Plan" }],
    ["rename_note", { name: "Plan", new_name: "Y" }],
    ["add_tag", { name: "Plan", tag: "t" }],
  ] as const) {
    expect(await registry.call({ name, arguments: input })).toMatchObject({
      success: false,
      code: "permission_denied",
    });
  }
  expect(block.files).toEqual(before);
});

test("creating shows the text and the place", async () => {
  const { registry } = await openDesk();
  const plan = {
    agent: "a",
    conversation: "c",
    callId: "1",
    tool: "create_note",
    signal: new AbortController().signal,
  };
  expect(await registry.get("create_note")?.preview?.({ name: "New", content: "text" }, plan)).toEqual({
    description: "Create file:///New.md",
    after: "text",
  });
});

test("a host without a source that can be written cannot create notes", async () => {
  const sources = createSourceManager();
  await sources.mount({ mount: "file", source: directorySource(tmpdir()) });
  const index = createNoteIndex({ sources, mounts: [] });
  const repository = createKnowledgeRepository({ sources, index });
  await expect(repository.locate("X")).rejects.toMatchObject({ code: "unsupported" });
});
