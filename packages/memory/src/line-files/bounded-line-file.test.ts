import { mkdtemp, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { appendBounded, oldestFirst, setAsideFile, setAsideFiles } from "./bounded-line-file.ts";
import { readLines, readRows } from "./line-file.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ikigai-bounded-"));
  path = join(folder, "rows.jsonl");
});
afterEach(() => rm(folder, { recursive: true }));

const row = (n: number): object => ({ n, text: "x".repeat(100) });

test("a file that is full is set aside whole, and a new one is begun", async () => {
  let full = 0;
  for (let n = 0; n < 12; n++) await appendBounded(path, row(n), { maxBytes: 500, onFull: () => void (full += 1) });
  const aside = await setAsideFiles(path);
  expect(full).toBe(aside.length);
  const rows = (await Promise.all([...aside, path].map(readRows))).flat() as { n: number }[];
  expect(rows.map(({ n }) => n).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n));
});

test("beyond the bound of all files the oldest goes, and its size is told", async () => {
  const dropped: number[] = [];
  const options = { maxBytes: 200, maxKeptBytes: 1_000, onDropped: (bytes: number) => void dropped.push(bytes) };
  for (let n = 0; n < 30; n++) {
    await appendBounded(path, row(n), options);
    for (const file of await setAsideFiles(path)) {
      const [{ n: last } = { n: 0 }] = (await readRows(file)).toReversed() as { n: number }[];
      await utimes(file, last + 1, last + 1);
    }
  }
  const aside = await setAsideFiles(path);
  const sizes = await Promise.all(aside.map(async (file) => (await stat(file)).size));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(1_000);
  expect(dropped.length).toBeGreaterThan(0);
  const left = (await Promise.all([...aside, path].map(readRows))).flat() as { n: number }[];
  const numbers = left.map(({ n }) => n).toSorted((a, b) => a - b);
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, n) => 30 - numbers.length + n));
});

test("a file that an earlier version let grow beyond every bound is set aside and stays", async () => {
  for (let n = 0; n < 20; n++) await appendBounded(path, row(n));
  const dropped: number[] = [];
  await appendBounded(path, row(20), {
    maxBytes: 200,
    maxKeptBytes: 500,
    onDropped: (bytes) => void dropped.push(bytes),
  });
  const [file = ""] = await setAsideFiles(path);
  expect(await readRows(file)).toHaveLength(21);
  expect(dropped).toEqual([]);
});

test("to set aside what is not there is no fault, and a folder that cannot be read has nothing", async () => {
  await setAsideFile(path);
  expect(await setAsideFiles(join(folder, "none", "rows.jsonl"))).toEqual([]);
  await writeFile(join(folder, "file"), "");
  await expect(setAsideFile(join(folder, "file", "rows.jsonl"))).rejects.toThrow("ENOTDIR");
});

test("lines are read however they lie in the pieces of a file, and the last one needs no end", async () => {
  const long = "ä".repeat(700_000);
  await writeFile(path, `one\n\n${long}\n${long}${long}\nlast`);
  const lines: string[] = [];
  for await (const line of readLines(path)) lines.push(line);
  expect(lines.map(({ length }) => length)).toEqual([3, 700_000, 1_400_000, 4]);
  expect(lines[2]).toBe(long + long);
  await expect(readRows(folder)).rejects.toThrow("EISDIR");
});

test("a line that cannot be a row is left out, and what follows it is read", async () => {
  await writeFile(path, Buffer.concat([Buffer.alloc(65 * 1024 * 1024, 0x78), Buffer.from("\nnext\n")]));
  const lines: string[] = [];
  for await (const line of readLines(path)) lines.push(line);
  expect(lines).toEqual(["next"]);
});

test("a file that went while the files were looked at counts as empty and oldest", async () => {
  await writeFile(`${path}.there.taken`, "row");
  await symlink(join(folder, "gone"), `${path}.gone.taken`);
  expect(await oldestFirst(path)).toMatchObject([
    { file: `${path}.gone.taken`, size: 0 },
    { file: `${path}.there.taken`, size: 3 },
  ]);
});
