import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, open, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { createJsonFile } from "./json-file.ts";
import { readSmallFile } from "./small-file.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ikigai-small-"));
  path = join(folder, "trust.json");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

// Each of these made every start hang: the file was read to its end, and it has none.
const UNREADABLE: [string, () => Promise<unknown>, string][] = [
  ["a link to /dev/zero", () => symlink("/dev/zero", path), "is a device and not a regular file"],
  ["a pipe", async () => execFileSync("/usr/bin/mkfifo", [path]), "is a pipe and not a regular file"],
  ["a folder", () => mkdir(path), "is a folder and not a regular file"],
  ["a link to a folder", () => symlink(folder, path), "is a folder and not a regular file"],
  [
    "a file of 1 GB",
    async () => {
      const handle = await open(path, "w");
      await handle.truncate(1_000_000_000);
      await handle.close();
    },
    "bytes that such a file may have",
  ],
];

test.each(UNREADABLE)("%s in the place of a small file is refused at once", async (_, lay, words) => {
  await lay();
  await expect(readSmallFile(path)).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining(words),
  });
  const file = createJsonFile(path, z.object({}), {});
  await expect(file.read()).rejects.toMatchObject({ code: "unavailable", message: expect.stringContaining(words) });
});

test("a socket in the place of a small file is refused at once", async () => {
  const server = createServer();
  await new Promise<void>((done) => server.listen(path, done));
  await expect(readSmallFile(path)).rejects.toMatchObject({ code: "unavailable" });
  await new Promise((done) => server.close(done));
});

test("a small file is read through a link, to its last byte and up to the limit", async () => {
  await writeFile(join(folder, "there"), "0123456789");
  await symlink(join(folder, "there"), path);
  expect((await readSmallFile(path, 10))?.bytes.toString()).toBe("0123456789");
  await expect(readSmallFile(path, 9)).rejects.toMatchObject({ code: "unavailable" });
  expect(await readSmallFile(join(folder, "absent"))).toBeUndefined();
});

test("a file that cannot be opened is unavailable and names itself", async () => {
  await writeFile(path, "");
  await expect(readSmallFile(join(path, "below"))).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("below cannot be read"),
  });
});

test("a check of a small file runs before its content is used", async () => {
  await writeFile(path, "not JSON", { mode: 0o644 });
  const check = (): never => {
    throw new Error("others can read it");
  };
  await expect(createJsonFile(path, z.object({}), {}, { check }).read()).rejects.toThrow("others can read it");
});
