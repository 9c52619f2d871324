import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { closeSharedStore } from "./testing/open-workspace.ts";
import { openMountedWorkspace } from "./testing/mounted-workspace.ts";

afterAll(closeSharedStore);

const SLOW = 120_000;

test("create_note with an address writes to that mount and to no folder of its name", { timeout: SLOW }, async () => {
  await using workspace = await openMountedWorkspace();
  for (const mount of ["ikigai", "db", "kv"]) {
    const name = `New in ${mount}`;
    expect(await workspace.tool("create_note", { name: `${mount}:///${name}`, content: "Hello" })).toMatchObject({
      uri: `${mount}:///${name}.md`,
    });
    expect(existsSync(join(workspace.root, `${mount}:`))).toBe(false);
    expect(await workspace.tool("file_read", { path: `${mount}:///${name}.md` })).toMatchObject({ content: "Hello" });
    expect(await workspace.tool("read_note", { name })).toMatchObject({ uri: `${mount}:///${name}.md` });
  }
});

test("every note tool works on notes of a database and of one JSON file", { timeout: SLOW }, async () => {
  await using workspace = await openMountedWorkspace();
  const { tool } = workspace;
  await tool("create_note", { name: "db:///garden/Tomatoes", content: "Water them. [[Basil]] #plants" });
  await tool("create_note", { name: "Basil", folder: "kv:///", content: "Beside the tomatoes." });
  expect(await tool("list_notes", { path: "db:///garden" })).toMatchObject({ total: 1 });
  expect(await tool("search_notes", { query: "tomatoes" })).toMatchObject({
    results: expect.arrayContaining([
      expect.objectContaining({ uri: "db:///garden/Tomatoes.md" }),
      expect.objectContaining({ uri: "kv:///Basil.md" }),
    ]) as unknown,
  });
  await tool("add_tag", { name: "kv:///Basil", tag: "plants" });
  expect(await tool("get_note_metadata", { name: "Basil" })).toMatchObject({
    tags: ["plants"],
    backlinks: [{ uri: "db:///garden/Tomatoes.md" }],
  });
  expect(await tool("update_note", { name: "Basil", mode: "append", content: "\nAnd water." })).toMatchObject({
    uri: "kv:///Basil.md",
  });
  expect(await tool("rename_note", { name: "Basil", new_name: "kv:///herbs/Sweet Basil" })).toMatchObject({
    uri: "kv:///herbs/Sweet Basil.md",
    rewritten: ["db:///garden/Tomatoes.md"],
  });
  expect(await tool("file_read", { path: "db:///garden/Tomatoes.md" })).toMatchObject({
    content: "Water them. [[Sweet Basil]] #plants",
  });
  await tool("delete_note", { name: "Sweet Basil" });
  expect(await tool("list_notes", { path: "kv:///" })).toMatchObject({ total: 0 });
});

test(
  "a note of a commit is read, gives way to a note that can be changed, and does not stop a rename",
  { timeout: SLOW },
  async () => {
    await using workspace = await openMountedWorkspace();
    const { tool } = workspace;
    expect(await tool("read_note", { name: "Plan" })).toMatchObject({ uri: "repo:///Plan.md" });
    await tool("create_note", { name: "Plan", content: "mine" });
    expect(await tool("read_note", { name: "Plan" })).toMatchObject({ uri: "file:///Plan.md" });
    expect(await tool("read_note", { name: "repo:///Plan" })).toMatchObject({ content: "first\n" });
    expect(await tool("rename_note", { name: "Plan", new_name: "Plans" })).toMatchObject({ uri: "file:///Plans.md" });
  },
);

test("mounts that the configuration excludes hold no notes", { timeout: SLOW }, async () => {
  await using workspace = await openMountedWorkspace({ notes: { exclude: ["db", "repo", "ikigai"] } });
  const { tool, call } = workspace;
  await tool("create_note", { name: "db:///Hidden", content: "x" });
  await tool("create_note", { name: "kv:///Seen", content: "x" });
  const { notes } = await tool("list_notes", {});
  expect((notes as { uri: string }[]).map(({ uri }) => uri)).toEqual(["kv:///Seen.md"]);
  expect(await call("read_note", { name: "Plan" })).toMatchObject({ code: "not_found" });
});

test.each([
  [{ name: "ikigai:/New" }, "three slashes"],
  [{ name: "New", folder: "ikigai:/notes" }, "three slashes"],
  [{ name: "ikigai:///New", folder: "notes" }, "folder"],
  [{ name: "nowhere:///New" }, "nowhere"],
])("create_note %j is refused and writes nothing", async (input, problem) => {
  await using workspace = await openMountedWorkspace();
  const answer = await workspace.call("create_note", { ...input, content: "x" });
  expect(answer).toMatchObject({ success: false });
  expect(answer["error"]).toContain(problem);
  expect(existsSync(join(workspace.root, "ikigai:"))).toBe(false);
});
