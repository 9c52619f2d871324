import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const PROGRAM = fileURLToPath(new URL("../bin/ikigai.js", import.meta.url));

/** The files of JavaScript that the built program loads for these arguments, as the engine's own record of them has it. */
async function loadedBy(...args: string[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "ikigai-loaded-"));
  try {
    await promisify(execFile)(process.execPath, [PROGRAM, ...args], {
      env: { ...process.env, NODE_V8_COVERAGE: folder },
    });
    const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")));
    const urls = files.flatMap((text) =>
      (JSON.parse(text) as { result: { url: string }[] }).result.map(({ url }) => url),
    );
    return urls
      .filter((url) => url.startsWith("file:"))
      .map((url) => url.replace(/^.*\/(?=(bin|dist|node_modules)\/)/, ""));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test.each(["--version", "-v"])("%s loads the entry and the version", async (flag) => {
  expect((await loadedBy(flag)).toSorted()).toEqual(["bin/ikigai.js", "dist/main.js", "dist/program-version.js"]);
});

test.each(["--help", "-h", "help"])(
  "%s loads the parser of flags and the list of commands, and no command",
  async (flag) => {
    const loaded = await loadedBy(flag);
    const own = loaded.filter((file) => !file.startsWith("node_modules/commander/"));
    expect(own.filter((file) => file.startsWith("dist/commands/"))).toEqual(["dist/commands/all.js"]);
    expect(own.filter((file) => /core|zod|memory|host|settings/.test(file))).toEqual([]);
    expect(own.length).toBeLessThan(15);
  },
);

test("help of a command loads that command and no other", async () => {
  const loaded = await loadedBy("run", "--help");
  expect(loaded.filter((file) => file.startsWith("dist/commands/")).toSorted()).toEqual([
    "dist/commands/all.js",
    "dist/commands/run.js",
  ]);
  expect(loaded.filter((file) => /host\.js|screen/.test(file))).toEqual([]);
});

test("an input that stays open and silent is not waited for, and it is said how to give a task there", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ikigai-silent-"));
  try {
    // The pipe to standard input stays open until the program has ended.
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [PROGRAM, "--store", folder], {
      cwd: folder,
    });
    expect(stdout).toContain("Try");
    expect(stderr).toContain("ikigai -p");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
