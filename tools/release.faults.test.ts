import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { manifestOf, PACKAGES } from "./pack.mjs";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const bin = join(root, "node_modules/.bin");
let copy: string;

/** A copy of the repository, so that releasing it changes nothing here. */
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "ikigai-release-"));
  const { stdout } = await run("git", ["ls-files"], { cwd: root, maxBuffer: 1 << 26 });
  for (const file of stdout.trim().split("\n")) await cp(join(root, file), join(copy, file)).catch(() => {});
  for (const folder of PACKAGES.values()) {
    const dist = join(folder.slice(root.length), "dist");
    await cp(join(root, dist), join(copy, dist), { recursive: true });
  }
  const git = ["-c", "user.name=a", "-c", "user.email=a@b"];
  await run("git", ["init", "--quiet", "--initial-branch=main"], { cwd: copy });
  await run("git", [...git, "add", "--all"], { cwd: copy });
  await run("git", [...git, "commit", "--quiet", "--message", "x"], { cwd: copy });
  // From where the packages of this repository were installed: without a word pnpm looks on the file system of the copy.
  const { storeDir } = JSON.parse(await readFile(join(root, "node_modules/.modules.yaml"), "utf8")) as {
    storeDir: string;
  };
  const install = ["install", "--prefer-offline", "--frozen-lockfile", "--ignore-scripts", "--store-dir", storeDir];
  await run(join(bin, "pnpm"), install, { cwd: copy });
}, 300_000);
afterAll(() => rm(copy, { recursive: true, force: true }));

test("changesets raise all packages to one version, and a dry run publishes each of them", async () => {
  const before = manifestOf(join(copy, "packages/core")).version;
  await run(join(bin, "changeset"), ["version"], { cwd: copy });
  const folders = [...PACKAGES.values()].map((folder) => join(copy, folder.slice(root.length)));
  const versions = new Set(folders.map((folder) => manifestOf(folder).version));
  expect(versions.size).toBe(1);
  const [version = ""] = versions;
  expect(version).not.toBe(before);
  expect(version.split(".")[0]).toBe(before.split(".")[0]);
  expect(await readFile(join(copy, "packages/core/CHANGELOG.md"), "utf8")).toContain(`## ${version}`);
  expect(manifestOf(join(copy, "bench")).version).toBe(manifestOf(join(root, "bench")).version);

  const publish = ["publish", "--recursive", "--dry-run", "--no-git-checks"];
  const { stdout } = await run(join(bin, "pnpm"), publish, { cwd: copy, maxBuffer: 1 << 26 });
  const published = [...stdout.matchAll(/^\+ (.+)$/gm)].map(([, one]) => one);
  expect(published.toSorted()).toEqual([...PACKAGES.keys()].map((name) => `${name}@${version}`).toSorted());
});
