import { mkdir, mkdtemp, readdir, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { createJsonFile, type JsonFile } from "./json-file.ts";

let path: string;
let file: JsonFile<{ n: number[] }>;

beforeEach(async () => {
  path = join(await mkdtemp(join(tmpdir(), "ikigai-json-")), "numbers.json");
  file = createJsonFile(path, z.strictObject({ n: z.array(z.number()) }), { n: [] });
});

test("no update is lost among many at once", async () => {
  await Promise.all(Array.from({ length: 30 }, (_, one) => file.update(({ n }) => ({ n: [...n, one] }))));
  expect((await file.read()).n.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, one) => one));
  expect(await readdir(dirname(path))).toEqual(["numbers.json"]);
});

test("a damaged file is an error and is left alone", async () => {
  await writeFile(path, "{");
  await expect(file.read()).rejects.toMatchObject({ code: "invalid_input" });
  await expect(file.update((present) => present)).rejects.toMatchObject({ code: "invalid_input" });
});

test("a file that cannot be read is unavailable, not empty", async () => {
  await mkdir(path);
  await expect(file.read()).rejects.toMatchObject({ code: "unavailable" });
});

test("the lock of a process that died long ago is taken over", async () => {
  await writeFile(`${path}.lock`, "");
  await utimes(`${path}.lock`, 0, 0);
  expect(await file.update(() => ({ n: [1] }))).toEqual({ n: [1] });
});

test("a lock that is held is waited for, then reported", async () => {
  await writeFile(`${path}.lock`, "");
  await expect(file.update(() => ({ n: [1] }))).rejects.toMatchObject({ code: "unavailable" });
});

test("a folder that cannot be made is unavailable", async () => {
  const inside = createJsonFile(join(path, "x.json"), z.unknown(), undefined);
  await writeFile(path, "a file where a folder should be");
  await expect(inside.update(() => 1)).rejects.toMatchObject({ code: "unavailable" });
});
