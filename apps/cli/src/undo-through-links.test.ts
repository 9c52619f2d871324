import { lstat, mkdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { closeSharedStore, openWorkspace } from "./testing/open-workspace.ts";

let workspace: Awaited<ReturnType<typeof openWorkspace>>;
beforeEach(async () => {
  workspace = await openWorkspace();
});
afterEach(() => workspace.close());
afterAll(closeSharedStore);

const at = (path: string): string => join(workspace.root, path);
const call = (tool: string, input: object): ReturnType<typeof workspace.run> =>
  workspace.run(["tool", tool, JSON.stringify(input), "--approve", "all"]);

test("undo of a text that was created through a link removes the text, and the link stays", async () => {
  await symlink("made.txt", at("link.txt"));
  expect((await call("file_write", { path: "link.txt", content: "new\n" })).code).toBe(0);
  expect(await readFile(at("made.txt"), "utf8")).toBe("new\n");
  const { code, out } = await call("undo", { path: "link.txt" });
  expect(out).toContain("Took back change");
  expect(code).toBe(0);
  await expect(lstat(at("made.txt"))).rejects.toThrow("ENOENT");
  expect(await readlink(at("link.txt"))).toBe("made.txt");
});

test("undo of a text that was created through a link is judged where the link leads", async () => {
  await symlink("made.txt", at("link.txt"));
  await call("file_write", { path: "link.txt", content: "new\n" });
  const { out } = await workspace.run(["permission", "explain", "undo", '{"path":"link.txt"}']);
  expect(out).toContain("delete file:///made.txt");
});

test("deleting a link still removes the link and not the text", async () => {
  await writeFile(at("text.txt"), "kept\n");
  await symlink("text.txt", at("link.txt"));
  expect((await call("file_delete", { path: "link.txt" })).code).toBe(0);
  expect(await readFile(at("text.txt"), "utf8")).toBe("kept\n");
  await expect(lstat(at("link.txt"))).rejects.toThrow("ENOENT");
});

test("a change that was made through a link is in the history of the text itself, and undo of either name takes it back", async () => {
  await writeFile(at("text.txt"), "one\n");
  await symlink("text.txt", at("link.txt"));
  await call("file_edit", { path: "link.txt", old: "one", new: "two" });
  expect((await call("history", { path: "text.txt" })).out).toContain("file_edit");
  expect((await call("history", { path: "link.txt" })).out).toContain("file_edit");
  expect((await call("undo", { path: "link.txt" })).out).toContain("of file:///text.txt");
  expect(await readFile(at("text.txt"), "utf8")).toBe("one\n");
});

test.each(["a folder", "gone", "a link to another text"])(
  "a change that was made through a link is undone where the text is, also when the link is %s by then",
  async (what) => {
    await writeFile(at("text.txt"), "one\n");
    await writeFile(at("other.txt"), "other\n");
    await symlink("text.txt", at("link.txt"));
    await call("file_edit", { path: "link.txt", old: "one", new: "two" });
    await rm(at("link.txt"));
    if (what === "a folder") await mkdir(at("link.txt"));
    if (what === "a link to another text") await symlink("other.txt", at("link.txt"));
    expect((await call("undo", { path: "text.txt" })).out).toContain("of file:///text.txt");
    expect(await readFile(at("text.txt"), "utf8")).toBe("one\n");
    expect(await readFile(at("other.txt"), "utf8")).toBe("other\n");
  },
);

test("a text that was deleted through a linked folder comes back where it was, also when the link leads elsewhere by then", async () => {
  await mkdir(at("real"));
  await mkdir(at("elsewhere"));
  await writeFile(at("real/text.txt"), "one\n");
  await symlink("real", at("linked"));
  expect((await call("file_delete", { path: "linked/text.txt" })).code).toBe(0);
  await rm(at("linked"));
  await symlink("elsewhere", at("linked"));
  expect((await call("undo", { path: "real/text.txt" })).out).toContain("of file:///real/text.txt");
  expect(await readFile(at("real/text.txt"), "utf8")).toBe("one\n");
  await expect(lstat(at("elsewhere/text.txt"))).rejects.toThrow("ENOENT");
});
