import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { findProgram, programFile, requireProgram, systemProgram, trustedPath } from "./find-program.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "find-program-")));
const workspace = join(base, "workspace");
const installed = join(base, "installed");
const before = { cwd: process.cwd(), home: process.env["HOME"] };
mkdirSync(join(workspace, "bin"), { recursive: true });
mkdirSync(installed);

afterEach(() => {
  process.chdir(before.cwd);
  process.env["HOME"] = before.home;
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function program(folder: string, name: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), "#!/bin/sh\n");
  chmodSync(join(folder, name), 0o755);
  return join(folder, name);
}

test("a program of the workspace does not count, not by a link into or out of it either", () => {
  const own = program(join(workspace, "bin"), "tool");
  symlinkSync(own, join(installed, "linked"));
  symlinkSync(join(workspace, "bin"), join(base, "linked-folder"));
  const path = [join(workspace, "bin"), join(base, "linked-folder"), installed].join(":");
  expect(findProgram("tool", { path, outside: [workspace] })).toBeUndefined();
  expect(findProgram("linked", { path, outside: [workspace] })).toBeUndefined();
  const real = program(installed, "tool");
  expect(findProgram("tool", { path, outside: [workspace] })).toBe(real);
  expect(findProgram("tool", { path })).toBe(own);
});

test("the current folder is taken for a workspace, unless home lies in it", () => {
  const path = join(workspace, "bin");
  process.chdir(workspace);
  expect(findProgram("tool", { path })).toBeUndefined();
  process.env["HOME"] = join(workspace, "home");
  expect(findProgram("tool", { path })).toBe(join(path, "tool"));
  delete process.env["HOME"];
  process.chdir("/");
  expect(findProgram("tool", { path })).toBe(join(path, "tool"));
});

test("neither relative folders nor those of packages count, and what cannot be run is passed over", () => {
  const packages = join(base, "project", "node_modules", ".bin");
  program(packages, "planted");
  writeFileSync(join(installed, "text"), "");
  mkdirSync(join(installed, "folder"));
  const path = [relative(process.cwd(), installed), "", packages].join(":");
  expect(findProgram("planted", { path })).toBeUndefined();
  expect(findProgram("tool", { path })).toBeUndefined();
  expect(findProgram("text", { path: installed })).toBeUndefined();
  expect(findProgram("folder", { path: installed })).toBeUndefined();
  expect(trustedPath({ path: `${path}:${installed}:${join(workspace, "bin")}`, outside: [workspace] })).toBe(installed);
});

test("without a PATH there is no program, and the error names it", () => {
  const path = process.env["PATH"];
  delete process.env["PATH"];
  try {
    expect(trustedPath()).toBe("");
    expect(findProgram("sh")).toBeUndefined();
    expect(() => requireProgram("no-such-program")).toThrow("The program no-such-program was not found");
  } finally {
    process.env["PATH"] = path;
  }
  expect(requireProgram("sh")).toMatch(/^\/.*\/sh$/);
});

test("a program of the system is not looked for in PATH first", () => {
  const path = process.env["PATH"];
  program(installed, "mkfifo");
  program(installed, "only-in-path");
  process.env["PATH"] = `${installed}:${path}`;
  try {
    expect(systemProgram("mkfifo")).toMatch(/^\/(usr\/)?bin\/mkfifo$/);
    expect(systemProgram("only-in-path")).toBe(join(installed, "only-in-path"));
    expect(() => systemProgram("no-such-program")).toThrow("no-such-program was not found");
  } finally {
    process.env["PATH"] = path;
  }
});

test("a program that is named by a path is that file, and one that cannot be run is named", () => {
  const own = program(join(workspace, "bin"), "named");
  expect(programFile(own)).toBe(own);
  expect(programFile("bin/named", { cwd: workspace })).toBe(own);
  expect(programFile("sh", { cwd: workspace })).toMatch(/^\/.*\/sh$/);
  expect(() => programFile("./nowhere", { cwd: workspace })).toThrow("./nowhere cannot be started: ENOENT");
});
