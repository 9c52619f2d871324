import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { appendRow, readRows } from "./line-file.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ikigai-lines-"));
});
afterAll(() => rm(folder, { recursive: true }));

test("rows are read in the order in which they were added, without what is torn or no row", async () => {
  const path = join(folder, "rows.jsonl");
  await appendRow(path, { n: 1 });
  await appendFile(path, '{"n":2,"torn');
  await appendRow(path, { n: 3 }, { sync: true });
  await appendFile(path, "\n7\nnull\n\n");
  expect(await readRows(path)).toEqual([{ n: 1 }, { n: 3 }]);
});

test("a row that cannot be written is unavailable, with the file and what to do", async () => {
  await expect(appendRow(join(folder, "no", "such", "folder.jsonl"), { n: 1 })).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("folder.jsonl cannot be written to"),
    hint: "Make room on the disk, or mend its permissions.",
  });
});

test.runIf(process.platform === "linux")("a full disk is unavailable", async () => {
  await expect(appendRow("/dev/full", { n: 1 })).rejects.toMatchObject({ code: "unavailable" });
});

test("a file that is not there has no rows, and one that cannot be read is an error", async () => {
  expect(await readRows(join(folder, "absent.jsonl"))).toEqual([]);
  await expect(readRows(folder)).rejects.toThrow("EISDIR");
});
