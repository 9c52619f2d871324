import { mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { copyTree } from "./copy-tree.ts";

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "ikigai-copy-"));
  await mkdir(join(base, "from", "a", "b"), { recursive: true });
  await mkdir(join(base, "from", "empty"));
  await mkdir(join(base, "to"));
});
afterEach(() => rm(base, { recursive: true, force: true }));

test("a copied folder has the same folders, files, bytes and modes, empty ones too", async () => {
  const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251));
  await writeFile(join(base, "from", "a", "b", "large"), bytes, { mode: 0o600 });
  await writeFile(join(base, "from", "a", "none"), "", { mode: 0o640 });
  for (let index = 0; index < 100; index += 1) await writeFile(join(base, "from", "a", `${index}`), `${index}`);
  await copyTree(join(base, "from"), join(base, "to"));
  const names = async (folder: string): Promise<string[]> =>
    (await readdir(join(base, folder), { recursive: true })).toSorted();
  expect(await names("to")).toEqual(await names("from"));
  expect(await readFile(join(base, "to", "a", "b", "large"))).toEqual(bytes);
  expect(await readFile(join(base, "to", "a", "57"), "utf8")).toBe("57");
  expect((await stat(join(base, "to", "a", "b", "large"))).mode & 0o777).toBe(0o600);
  expect((await stat(join(base, "to", "a", "none"))).mode & 0o777).toBe(0o640);
  expect((await stat(join(base, "to", "a"))).mode & 0o777).toBe(0o700);
});

test("a folder with a link is not copied in part and taken for whole", async () => {
  await symlink("/etc/hostname", join(base, "from", "link"));
  await expect(copyTree(join(base, "from"), join(base, "to"))).rejects.toThrow("neither a file nor a folder");
  expect(await readdir(join(base, "to"))).toEqual([]);
});
