import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { countPruned, readPruned } from "./file-journal-pruned.ts";
import type { JournalRecord } from "./journal.ts";
import { readRows } from "../line-files/line-file.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ikigai-pruned-"));
  path = join(folder, "journal.jsonl");
});
afterEach(() => rm(folder, { recursive: true }));

function recordOf(uri: string, at: number, state: JournalRecord["state"] = "done"): JournalRecord {
  return { id: `id${at}`, uri, owner: "folder", agent: "ann", at: new Date(at), state };
}

test("entries of removed journal files are counted per text with their latest time, failed changes not", async () => {
  await countPruned(path, [recordOf("a", 1), recordOf("b", 2), recordOf("a", 5), recordOf("a", 9, "failed")]);
  await countPruned(path, [recordOf("a", 3)]);
  expect(await readPruned(path, "a", "folder")).toEqual({ count: 3, lastId: "id5", until: new Date(5) });
  expect(await readPruned(path, "b", "folder")).toMatchObject({ count: 1 });
  expect(await readPruned(path, "a", "another")).toBeUndefined();
});

test("the count has a bound too: of very many texts those are counted whose entries went last", async () => {
  const long = "x".repeat(400);
  const many = Array.from({ length: 4_100 }, (_, n) => recordOf(`file:///${long}/${n}`, n));
  await countPruned(path, many);
  expect(await readRows(`${path}.pruned`)).toHaveLength(4_000);
  expect(await readPruned(path, `file:///${long}/4099`, "folder")).toMatchObject({ count: 1 });
  expect(await readPruned(path, `file:///${long}/5`, "folder")).toBeUndefined();
  expect(await readdir(folder)).toEqual(["journal.jsonl.pruned"]);
});
