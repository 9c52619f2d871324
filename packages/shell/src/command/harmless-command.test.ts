import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPolicy } from "@ikigai/core/host";
import { findProgram } from "@ikigai/core/process";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { commandGrant } from "./command-rules.ts";
import { openTestHost, type TestHost } from "../testing/test-host.ts";

let host: TestHost;
let outside: string;
let marker: string;
let evil: string;

beforeAll(async () => {
  host = await openTestHost({ policy: () => createPolicy({ grants: () => [commandGrant(["git", "ls", "rg"])] }) });
  outside = await mkdtemp(join(tmpdir(), "ikigai-evil-"));
  marker = join(outside, "ran");
  evil = join(outside, "evil.sh");
  writeFileSync(evil, `#!/bin/sh\necho "$0 $@" >> ${marker}\ncat\n`);
  chmodSync(evil, 0o755);
});
afterEach(() => {
  rmSync(marker, { force: true });
  rmSync(host.root, { recursive: true, force: true });
  mkdirSync(host.root);
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
  rmSync(outside, { recursive: true, force: true });
});

const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd, encoding: "utf8" });

/** A repository whose own configuration names a program wherever one can be named. */
function hostileRepository(folder: string): void {
  git(folder, "init", "-q");
  writeFileSync(join(folder, "a.txt"), "one\n");
  git(folder, "add", ".");
  git(folder, "commit", "-qm", "first");
  writeFileSync(join(folder, "a.txt"), "two\n");
  writeFileSync(join(folder, ".gitattributes"), "* diff=evil filter=evil\n");
  const hooks = join(folder, ".git", "hooks");
  mkdirSync(hooks, { recursive: true });
  for (const hook of ["post-index-change", "fsmonitor-watchman", "reference-transaction"]) {
    writeFileSync(join(hooks, hook), `#!/bin/sh\n${evil} hook\n`);
    chmodSync(join(hooks, hook), 0o755);
  }
  for (const [key, value] of [
    ["core.fsmonitor", evil],
    ["core.pager", evil],
    ["core.sshCommand", evil],
    ["core.editor", evil],
    ["diff.external", evil],
    ["diff.evil.command", evil],
    ["diff.evil.textconv", evil],
    ["filter.evil.clean", evil],
    ["filter.evil.smudge", evil],
    ["filter.evil.required", "true"],
    ["log.showSignature", "true"],
    ["gpg.program", evil],
    ["pager.status", evil],
    ["alias.status", `!${evil}`],
  ] as const) {
    git(folder, "config", key, value);
  }
}

const LOOKS = [
  "git status",
  "git status --short --branch",
  "git diff",
  "git diff HEAD --stat",
  "git log -p",
  "git log '--format=%G?'",
  "git show",
  "git blame a.txt",
  "git grep one",
  "git ls-files -m",
  "git describe --always",
  "git stash list",
  "git branch -v",
  "git rev-parse HEAD",
  "git cat-file -p HEAD:a.txt",
];

test.each(LOOKS)(
  "%s runs unasked by a rule, and nothing that the repository's configuration names",
  async (command) => {
    hostileRepository(host.root);
    rmSync(marker, { force: true });
    const answer = await host.call("bash", { command });
    expect(answer).toMatchObject({ success: true });
    expect(existsSync(marker)).toBe(false);
  },
);

test("the same commands run those programs when git is left as it is", () => {
  hostileRepository(host.root);
  rmSync(marker, { force: true });
  execFileSync("sh", ["-c", "git status; git --no-pager diff; true"], { cwd: host.root, stdio: "ignore" });
  expect(existsSync(marker)).toBe(true);
});

test("a bare repository made of plain files in the workspace is not taken for one", async () => {
  mkdirSync(join(host.root, "objects"));
  mkdirSync(join(host.root, "refs"));
  writeFileSync(join(host.root, "HEAD"), "ref: refs/heads/main\n");
  const config = `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ${host.root}\n\tfsmonitor = ${evil}\n`;
  writeFileSync(join(host.root, "config"), config);
  const answer = await host.call("bash", { command: "git status" });
  expect(JSON.stringify(answer)).toMatch(/bare repository|not a git repository/);
  expect(existsSync(marker)).toBe(false);
});

test("a submodule's own configuration is not obeyed either", async () => {
  const inner = join(host.root, "inner");
  mkdirSync(inner);
  hostileRepository(inner);
  git(host.root, "init", "-q");
  git(host.root, "-c", "advice.addEmbeddedRepo=false", "add", "inner");
  git(host.root, "commit", "-qm", "with a submodule");
  rmSync(marker, { force: true });
  for (const command of ["git status", "git diff", "git diff HEAD"]) await host.call("bash", { command });
  expect(existsSync(marker)).toBe(false);
});

test("filters of the user's own configuration stay", async () => {
  git(host.root, "init", "-q");
  writeFileSync(join(host.root, ".gitattributes"), "*.txt filter=mine\n");
  writeFileSync(join(host.root, "a.txt"), "x\n");
  const home = await mkdtemp(join(outside, "home-"));
  writeFileSync(join(home, ".gitconfig"), `[filter "mine"]\n\tclean = ${evil}\n`);
  await using own = await openTestHost({
    policy: () => createPolicy({ grants: () => [commandGrant(["git"])] }),
    jobs: { environment: { from: { PATH: process.env["PATH"], HOME: home } } },
  });
  git(own.root, "init", "-q");
  writeFileSync(join(own.root, ".gitattributes"), "*.txt filter=mine\n");
  writeFileSync(join(own.root, "a.txt"), "x\n");
  git(own.root, "add", ".");
  writeFileSync(join(own.root, "a.txt"), "y\n");
  await own.call("bash", { command: "git diff" });
  expect(existsSync(marker)).toBe(true);
});

test("a program of the workspace never stands in for one of the system, not through a link either", async () => {
  const bin = join(await realpath(host.root), "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "onlyhere"), "#!/bin/sh\n");
  chmodSync(join(bin, "onlyhere"), 0o755);
  symlinkSync(join(bin, "onlyhere"), join(outside, "linked"));
  const path = `${bin}:relative:${outside}:${process.env["PATH"]}`;
  expect(findProgram("onlyhere", { path, outside: [host.root] })).toBeUndefined();
  expect(findProgram("linked", { path, outside: [host.root] })).toBeUndefined();
  expect(findProgram("onlyhere", { path, outside: [] })).toBe(join(bin, "onlyhere"));
  expect(findProgram("evil.sh", { path, outside: [host.root] })).toBe(evil);
  expect(findProgram("nowhere-at-all", { path })).toBeUndefined();
  writeFileSync(join(bin, "rg"), `#!/bin/sh\ntouch ${marker}\n`);
  chmodSync(join(bin, "rg"), 0o755);
  await using own = await openTestHost({
    policy: () => createPolicy({ grants: () => [commandGrant(["rg"])] }),
    jobs: { environment: { from: { PATH: "./bin" } } },
  });
  const answer = await own.call("bash", { command: "rg x" });
  expect(answer).toMatchObject({ success: false, code: "unavailable" });
});
