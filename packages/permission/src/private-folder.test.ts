import { mkdtemp, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makePrivateFolder } from "./private-folder.ts";

test("folders are made for their owner only, also several at once", async () => {
  const base = await mkdtemp(join(tmpdir(), "ikigai-folder-"));
  const folder = join(base, "a", "b");
  await Promise.all([makePrivateFolder(folder), makePrivateFolder(folder), makePrivateFolder(join(base, "a"))]);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  await makePrivateFolder(folder);
});

test.each(["/proc/none/x", "/dev/null/x"])("%s cannot be made, and that is said at once", async (path) => {
  await expect(makePrivateFolder(path)).rejects.toMatchObject({ code: "unavailable" });
});

test("a file where a folder should be is left alone", async () => {
  const file = join(await mkdtemp(join(tmpdir(), "ikigai-folder-")), "f");
  await writeFile(file, "x");
  await expect(makePrivateFolder(join(file, "y"))).rejects.toMatchObject({ code: "unavailable" });
});
