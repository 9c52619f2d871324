import { execFile } from "node:child_process";
import { appendFile, mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFileJournal, readJournalFile } from "./file-journal.ts";

const dist = new URL("../dist/index.js", import.meta.url).href;
const actor = { agent: "ann", conversation: "c", callId: "1", tool: "file_write" };
const entry = { uri: "file:///a.md", owner: "folder", agent: "ann" };
let base: string;
beforeAll(async () => void (base = await mkdtemp(join(tmpdir(), "ikigai-journal-"))));
afterAll(() => rm(base, { recursive: true, force: true }));

test("what was changed is there for the next process, newest first, and failed changes are left out", async () => {
  const path = join(base, "journal.jsonl");
  const journal = createFileJournal(path, () => new Date(0));
  expect(await journal.history(entry.uri, { owner: "folder" })).toEqual([]);
  const made = await journal.intend({ ...entry, actor, after: { text: "one", version: "" } });
  await journal.settle(made, { version: "v1" });
  await journal.settle(made, "failed");
  const failed = await journal.intend({ ...entry, before: { text: "one", version: "v1" } });
  await journal.settle(failed, "failed");
  const gone = await journal.intend({ ...entry, reason: "tidy", before: { text: "one", version: "v1" } });
  await journal.settle(gone, {});
  const open = await journal.intend({ ...entry, after: { text: "two", version: "x" } });
  await journal.intend({ ...entry, uri: "file:///b.md" });
  await journal.settle("unknown", {});

  const again = createFileJournal(path);
  const found = await again.history(entry.uri, { owner: "folder" });
  expect(found.map(({ id, state }) => [id, state])).toEqual([
    [open, "intended"],
    [gone, "done"],
    [made, "done"],
  ]);
  expect(await again.get(made)).toEqual({
    ...entry,
    id: made,
    at: new Date(0),
    tool: "file_write",
    callId: "1",
    conversation: "c",
    after: { text: "one", version: "v1" },
    state: "done",
  });
  expect(await again.history(entry.uri, { owner: "folder", limit: 1 })).toHaveLength(1);
  expect(await again.history(entry.uri, { owner: "another" })).toEqual([]);
  await expect(again.get("nothing")).rejects.toMatchObject({ code: "not_found" });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("a change that keeps its version has the one that was announced", async () => {
  const journal = createFileJournal(join(base, "kept.jsonl"));
  const id = await journal.intend({ ...entry, after: { text: "one", version: "announced" } });
  await journal.settle(id, {});
  expect((await journal.get(id)).after?.version).toBe("announced");
});

test("a torn row costs itself and no other", async () => {
  const path = join(base, "torn.jsonl");
  const journal = createFileJournal(path);
  await journal.intend(entry);
  await appendFile(path, '\n{"uri":"file:///torn');
  await journal.intend(entry);
  await appendFile(path, "\n7\nnull\n");
  expect(await readJournalFile(path)).toHaveLength(2);
});

test("a file that cannot be read is an error, not an empty journal", async () => {
  const path = join(base, "folder.jsonl");
  await mkdir(path);
  await expect(readJournalFile(path)).rejects.toMatchObject({ code: "EISDIR" });
});

test("processes that write at once lose and mix nothing", async () => {
  const path = join(base, "many.jsonl");
  const program = `
    import { createFileJournal } from ${JSON.stringify(dist)};
    const journal = createFileJournal(${JSON.stringify(path)});
    await Promise.all(Array.from({ length: 25 }, async (_, n) => {
      const id = await journal.intend({ uri: "file:///" + n, owner: "o", agent: "a", after: { text: "x".repeat(20_000), version: "" } });
      await journal.settle(id, { version: String(n) });
    }));`;
  const run = promisify(execFile);
  await Promise.all([1, 2, 3, 4].map(() => run(process.execPath, ["--input-type=module", "-e", program])));
  const records = await readJournalFile(path);
  expect(records).toHaveLength(100);
  expect(records.every(({ state, after }) => state === "done" && after?.text.length === 20_000)).toBe(true);
  expect((await readFile(path, "utf8")).split("\n").filter((line) => line !== "")).toHaveLength(200);
});

test("what cannot be written down is refused with the file's name", async () => {
  const path = join(base, "no-file");
  await mkdir(path);
  await expect(createFileJournal(path).intend(entry)).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining(path),
  });
});

test("the changes of one call are found together, newest first, and nothing was ever let go of", async () => {
  const journal = createFileJournal(join(base, "calls.jsonl"));
  for (const [uri, callId] of [
    ["file:///a.md", "rename"],
    ["file:///b.md", "rename"],
    ["file:///c.md", "other"],
  ] as const) {
    const id = await journal.intend({ ...entry, uri, actor: { ...actor, callId }, after: { text: "x", version: "" } });
    await journal.settle(id, { version: "v1" });
  }
  await journal.intend({ ...entry, actor: { ...actor, callId: "rename" } });
  expect((await journal.ofCall("rename")).map(({ uri }) => uri)).toEqual(["file:///b.md", "file:///a.md"]);
  expect(await journal.pruned(entry.uri, { owner: entry.owner })).toBeUndefined();
});
