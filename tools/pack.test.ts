import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closureOf, install, installed, manifestOf, pack, PACKAGES } from "./pack.mjs";
import { PROGRAMS } from "./pack-programs.mjs";

const NAMES = ["@ikigai/source-git", "@ikigai/source-sqlite", "@ikigai/source-http", "@ikigai/source-cron"];
const attw = fileURLToPath(new URL("../node_modules/.bin/attw", import.meta.url));
let base: string;
beforeAll(async () => void (base = await mkdtemp(join(tmpdir(), "ikigai-pack-"))));
afterAll(() => rm(base, { recursive: true, force: true }));

describe.each([...NAMES, "create-ikigai-source"])("%s", (name) => {
  test("is packed so that every consumer finds its files and types", { timeout: 60_000 }, async () => {
    const tarball = await pack(name, base);
    const bytes = await readFile(tarball);
    const { messages } = await publint({
      pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) },
    });
    expect(messages.map((message) => formatMessage(message, manifestOf(PACKAGES.get(name) ?? "")))).toEqual([]);
    if (name.startsWith("@")) await promisify(execFile)(attw, [tarball, "--profile", "esm-only"]);
    const { stdout: files } = await promisify(execFile)("tar", ["-tzf", tarball]);
    expect(files).toMatch(/^package\/README\.md$/m);
    expect(files).not.toMatch(/\.test\.(js|d\.ts)|tsbuildinfo|dist\/testing/);
  });
});

test("a backend works alone, and no other is there", { timeout: 120_000 }, async () => {
  const name = "@ikigai/source-cron";
  const folder = await mkdtemp(join(base, "alone-"));
  const needed = closureOf(name);
  await install(folder, await Promise.all(needed.map((one) => pack(one, base))));
  await writeFile(join(folder, "run.mjs"), PROGRAMS[name] ?? "");
  const { stdout } = await promisify(execFile)(process.execPath, ["run.mjs"], { cwd: folder });
  expect(stdout).toBe("ok\n");
  expect(installed(folder).toSorted()).toEqual(
    ["@ikigai/core", name, "@standard-schema/spec", "croner", "zod"].toSorted(),
  );
});
