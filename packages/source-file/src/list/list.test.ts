import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { IkigaiError } from "@ikigai/core";
import { expect, test } from "vitest";
import { codeOf, createWorkspace, pathsOf, type Workspace } from "../testing/workspace.ts";

function fill({ root }: Workspace, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(`${root}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    writeFileSync(`${root}/${path}`, text);
  }
}

test("what .gitignore names is left out, the deepest file decides, and .git never shows", async () => {
  const workspace = createWorkspace();
  fill(workspace, {
    ".gitignore": "*.log\nbuild/\n/top\n",
    "a.log": "",
    "a.md": "",
    top: "",
    "build/out.js": "",
    "src/.gitignore": "!keep.log\nsecret\n",
    "src/keep.log": "",
    "src/other.log": "",
    "src/secret": "",
    "src/top": "",
    ".git/config": "",
  });
  const source = await workspace.open({ ignore: ["a.*"] });
  expect(await pathsOf(source)).toEqual([".gitignore", "src/.gitignore", "src/keep.log", "src/top"]);
  expect(await pathsOf(source, "src/")).toEqual(["src/.gitignore", "src/keep.log", "src/top"]);
  expect(await pathsOf(source, ".git/")).toEqual([]);
});

test("a list of a hidden folder shows everything in it", async () => {
  const workspace = createWorkspace();
  fill(workspace, { ".gitignore": "build/\n", "build/deep/out.js": "", "build/a.log": "", "build/.git/x": "" });
  const source = await workspace.open();
  expect(await pathsOf(source)).toEqual([".gitignore"]);
  expect(await pathsOf(source, "build/")).toEqual(["build/a.log", "build/deep/out.js"]);
  expect(await pathsOf(source, "build/deep/")).toEqual(["build/deep/out.js"]);
});

test("without gitignore everything but .git shows", async () => {
  const workspace = createWorkspace();
  fill(workspace, { ".gitignore": "*.log\n", "a.log": "", ".git/config": "" });
  expect(await pathsOf(await workspace.open({ gitignore: false }))).toEqual([".gitignore", "a.log"]);
});

test("links to files inside show, links to folders and links out do not", async () => {
  const workspace = createWorkspace();
  fill(workspace, { "folder/a.md": "text" });
  symlinkSync("folder/a.md", `${workspace.root}/to-file`);
  symlinkSync("folder", `${workspace.root}/to-folder`);
  symlinkSync("/etc/passwd", `${workspace.root}/to-outside`);
  symlinkSync("nothing", `${workspace.root}/to-nothing`);
  symlinkSync("..", `${workspace.root}/folder/up`);
  execFileSync("mkfifo", [`${workspace.root}/pipe`]);
  const source = await workspace.open();
  expect(await pathsOf(source)).toEqual(["folder/a.md", "to-file"]);
  expect(await pathsOf(source, "to-folder/")).toEqual(["to-folder/a.md"]);
  expect(await codeOf(pathsOf(source, "to-outside/"))).toBe("permission_denied");
});

test("names that no address can hold are left out", async () => {
  const workspace = createWorkspace();
  fill(workspace, { "a.md": "", "back\\slash": "" });
  writeFileSync(Buffer.concat([Buffer.from(`${workspace.root}/`), Buffer.from([0xff, 0xfe])]), "");
  expect(await pathsOf(await workspace.open())).toEqual(["a.md"]);
});

test("a .gitignore that would keep a regular expression busy is told and not used", async () => {
  const workspace = createWorkspace();
  fill(workspace, { ".gitignore": `${"*a".repeat(30)}b\n*.log\n`, ["a".repeat(200)]: "", "x.log": "" });
  expect(await pathsOf(await workspace.open())).toEqual([".gitignore", "a".repeat(200)]);
  expect(workspace.warnings.join()).toContain(".gitignore: 1 lines");
});

test("a .gitignore that is a link, a folder or too large is not followed", async () => {
  const workspace = createWorkspace();
  fill(workspace, {
    "one/a": "",
    "two/.gitignore/x": "",
    "three/.gitignore": "#".repeat(1024 * 1024 + 1),
    "three/a": "",
  });
  symlinkSync("/etc/passwd", `${workspace.root}/one/.gitignore`);
  expect(await pathsOf(await workspace.open())).toEqual(["one/a", "three/.gitignore", "three/a", "two/.gitignore/x"]);
});

test("a tree deeper than any path is cut off and not an error", async () => {
  const workspace = createWorkspace();
  const deep = `${workspace.root}/${"d/".repeat(300)}`;
  mkdirSync(deep, { recursive: true });
  writeFileSync(`${deep}file`, "");
  writeFileSync(`${workspace.root}/z`, "");
  expect(await pathsOf(await workspace.open())).toEqual(["z"]);
});

test("a caller that gives up ends the list", async () => {
  const workspace = createWorkspace();
  fill(workspace, { a: "", b: "" });
  const source = await workspace.open();
  const controller = new AbortController();
  const list = source.list("", { signal: controller.signal })[Symbol.asyncIterator]();
  await list.next();
  controller.abort();
  await expect(list.next()).rejects.toSatisfy((error) => IkigaiError.is(error, "aborted"));
});
