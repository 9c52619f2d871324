import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { closeSharedStore, openWorkspace } from "./testing/open-workspace.ts";

let workspace: Awaited<ReturnType<typeof openWorkspace>>;
let root: string;

beforeEach(async () => {
  workspace = await openWorkspace();
  root = workspace.root;
});
afterEach(() => workspace.close());
afterAll(closeSharedStore);

async function call(name: string, input: object): Promise<Record<string, unknown>> {
  const { out } = await workspace.run(["--approve", "all", "tool", name, JSON.stringify(input)]);
  return JSON.parse(out) as Record<string, unknown>;
}
const textOf = (path: string): Promise<string> => readFile(join(root, path), "utf8");

test("every tool takes the URI of a file in the workspace as that file", async () => {
  const uri = `file://${root}`;
  expect(await call("file_write", { path: `${uri}/real.md`, content: "needle\n" })).toMatchObject({ success: true });
  expect(await textOf("real.md")).toBe("needle\n");
  expect(await call("file_read", { path: `${uri}/real.md` })).toMatchObject({ data: { content: "needle\n" } });
  expect(await call("glob", { pattern: `${uri}/*.md` })).toMatchObject({ data: { paths: ["real.md"] } });
  expect(JSON.stringify(await call("grep", { pattern: "needle", path: uri }))).toContain("real.md");
  expect(await call("file", { op: "load", path: `${uri}/real.md` })).toMatchObject({ success: true });
  expect(await call("file_move", { from: `${uri}/real.md`, to: `${uri}/sub/b c.md` })).toMatchObject({ success: true });
  expect(await call("file_read", { path: `${uri}/sub/b%20c.md` })).toMatchObject({ data: { content: "needle\n" } });
  expect(await call("undo", { path: `${uri}/sub/b c.md` })).toMatchObject({ success: true });
  expect(await textOf("real.md")).toBe("needle\n");
  expect(existsSync(join(root, root))).toBe(false);
});

test("a note is made where its absolute path or URI says", async () => {
  const places = [
    [{ name: `file://${root}/N1` }, "N1.md"],
    [{ name: `${root}/N2` }, "N2.md"],
    [{ name: "N3", folder: `${root}/sub` }, "sub/N3.md"],
    [{ name: "N4", folder: `file://${root}/sub` }, "sub/N4.md"],
    [{ name: "N5", folder: "/of-the-notes" }, "of-the-notes/N5.md"],
  ] as const;
  for (const [input, path] of places) {
    expect(await call("create_note", { ...input, content: path })).toMatchObject({ success: true });
    expect(await textOf(path)).toContain(path);
  }
  expect(await call("create_note", { name: `${root}/N6`, folder: "sub", content: "x" })).toMatchObject({
    code: "invalid_input",
  });
  expect(existsSync(join(root, root))).toBe(false);
});

test("what could be a path of the machine is refused with both readings, and makes nothing", async () => {
  const before = await readdir(root);
  const refused = {
    success: false,
    code: "ambiguous",
    error: expect.stringMatching(/ usr\/x\/y.* \/usr\/x\/y/) as string,
  };
  expect(await call("file_write", { path: "file:///usr/x/y.md", content: "x" })).toMatchObject(refused);
  expect(await call("file", { op: "create", path: "file:///usr/x/y.md" })).toMatchObject(refused);
  expect(await call("create_note", { name: "/usr/x/y", content: "x" })).toMatchObject(refused);
  expect(await call("create_note", { name: "y", folder: "/usr/x/y", content: "x" })).toMatchObject(refused);
  expect(await readdir(root)).toEqual(before);
  expect(await call("file_write", { path: "usr/x/y.md", content: "x" })).toMatchObject({ success: true });
  expect(await call("file_write", { path: "file:///usr/x/z.md", content: "x" })).toMatchObject({ success: true });
  expect(await readdir(join(root, "usr/x"))).toEqual(["y.md", "z.md"]);
});

test("a URI is ambiguous only where a path of the workspace repeats its own absolute path", async () => {
  await mkdir(join(root, root), { recursive: true });
  await writeFile(join(root, root, "a.md"), "inner");
  expect(await call("file_read", { path: `file://${root}/a.md` })).toMatchObject({ data: { content: "inner" } });
  await writeFile(join(root, "a.md"), "outer");
  expect(await call("file_read", { path: `file://${root}/a.md` })).toMatchObject({ code: "ambiguous" });
  expect(await call("file_read", { path: `${root}/a.md` })).toMatchObject({ data: { content: "outer" } });
});

test("a home folder and an address without slashes are no folders to be made, but can be read where they are", async () => {
  for (const [path, hint] of [
    ["~/x.md", "./~/x.md"],
    ["ikigai:blocks/one.md", "ikigai:///blocks/one.md"],
    ["FILE:one.md", "file:///one.md"],
  ] as const) {
    const refused = { code: "invalid_input", error: expect.stringContaining(hint) as string };
    expect(await call("file_write", { path, content: "x" })).toMatchObject(refused);
    expect(await call("file_write", { path: `./${path}`, content: "x" })).toMatchObject({ success: true });
    expect(await call("file_read", { path })).toMatchObject({ data: { content: "x" } });
  }
  expect(await call("file_write", { path: "todo:x.md", content: "x" })).toMatchObject({ success: true });
});

test("a new note in a folder of the store needs its full name, unless the workspace has that folder", async () => {
  for (const input of [{ name: "blocks/N1" }, { name: "N1", folder: "blocks" }]) {
    expect(await call("create_note", { ...input, content: "x" })).toMatchObject({
      code: "ambiguous",
      error: expect.stringContaining("Write file:///blocks/N1.md or ikigai:///blocks/N1.md") as string,
    });
  }
  expect(await readdir(root)).toEqual([]);
  expect(await call("create_note", { name: "ikigai:///blocks/N1", content: "x" })).toMatchObject({ success: true });
  expect(await call("read_note", { name: "blocks/N1" })).toMatchObject({ data: { content: "x" } });
  expect(await call("create_note", { name: "blocks/N1", content: "y" })).toMatchObject({
    success: false,
    error: expect.stringContaining("ikigai:///blocks/N1") as string,
  });
  expect(await call("create_note", { name: "./blocks/N2", content: "x" })).toMatchObject({ success: true });
  expect(await textOf("blocks/N2.md")).toContain("x");
  expect(await call("create_note", { name: "blocks/N3", content: "x" })).toMatchObject({ success: true });
  expect(await readdir(join(root, "blocks"))).toEqual(["N2.md", "N3.md"]);
  expect(await call("rename_note", { name: "N3", new_name: "skills/N4" })).toMatchObject({ code: "ambiguous" });
});

test("the block tools take the short address of a stored text", async () => {
  await call("file_write", { path: "ikigai:///blocks/short.md", content: "one\n" });
  expect(await call("block", { op: "load", label: "blocks/short" })).toMatchObject({
    data: { label: "ikigai:///blocks/short.md" },
  });
  expect(await call("block_edit", { op: "append", label: "blocks/short", content: "two\n" })).toMatchObject({
    success: true,
  });
  expect(await call("block", { op: "save", label: "blocks/short" })).toMatchObject({ success: true });
  expect(await call("file_read", { path: "blocks/short" })).toMatchObject({ data: { content: "one\ntwo\n" } });
  expect(await call("glob", { pattern: "blocks/sho*" })).toMatchObject({
    data: { paths: ["ikigai:///blocks/short.md"] },
  });
});

test("an undo through a short address that could be a file or a stored text is refused with both", async () => {
  await mkdir(join(root, "blocks"));
  for (const path of ["./blocks/both.md", "ikigai:///blocks/both.md"]) {
    await call("file_write", { path, content: "one\n" });
    await call("file_edit", { path, old: "one", new: "two" });
  }
  const refused = {
    code: "ambiguous",
    error: expect.stringContaining("Write file:///blocks/both.md or ikigai:///blocks/both.md") as string,
  };
  expect(await call("slash_command", { command: "/undo blocks/both.md" })).toMatchObject(refused);
  expect(await call("undo", { path: "blocks/both.md" })).toMatchObject(refused);
  expect(await textOf("blocks/both.md")).toBe("two\n");
  for (const path of ["./blocks/both.md", "ikigai:///blocks/both.md"]) await call("file_delete", { path });
  expect(await call("slash_command", { command: "/undo blocks/both.md" })).toMatchObject(refused);
  expect(await call("slash_command", { command: "/undo file:///blocks/both.md" })).toMatchObject({ success: true });
  expect(await textOf("blocks/both.md")).toBe("two\n");
});
