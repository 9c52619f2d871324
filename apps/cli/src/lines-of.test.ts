import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { linesOf } from "./lines-of.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ikigai-lines-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(path: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of linesOf(path)) lines.push(line);
  return lines;
}

test("a file gives its lines", async () => {
  await writeFile(join(folder, "a"), "one\ntwo\n");
  expect(await read(join(folder, "a"))).toEqual(["one", "two"]);
});

test("a file that is not there, and a folder, are refused by name", async () => {
  const absent = join(folder, "absent");
  await expect(read(absent)).rejects.toMatchObject({ code: "not_found", message: `There is no file ${absent}` });
  await expect(read(folder)).rejects.toMatchObject({ code: "invalid_input" });
});
