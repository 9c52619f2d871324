import { lstat, readFile, readlink, symlink, writeFile } from "node:fs/promises";
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
