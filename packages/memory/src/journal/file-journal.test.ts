import { execFile } from "node:child_process";
import { appendFile, mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { setAsideFile, setAsideFiles } from "../line-files/bounded-line-file.ts";
import { createFileJournal, readJournalFile } from "./file-journal.ts";

const dist = new URL("../../dist/index.js", import.meta.url).href;
const actor = { agent: "ann", conversation: "c", callId: "1", tool: "file_write" };
const entry = { uri: "file:///a.md", owner: "folder", agent: "ann" };
let base: string;
beforeAll(async () => void (base = await mkdtemp(join(tmpdir(), "ikigai-journal-"))));
afterAll(() => rm(base, { recursive: true, force: true }));

test("the file journal gives the next process all changes, newest first, without failed ones", async () => {
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
  const lines = (await readFile(path, "utf8"))
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith('{"chunk"'));
  expect(lines).toHaveLength(200);
});

/** Lines that no two places and no two seeds have in common. */
function linesOf(count: number, seed: string): string {
  let number = Buffer.from(seed).reduce((sum, byte) => Math.imul(sum, 31) + byte, 7);
  return Array.from({ length: count }, (_, n) => {
    number = Math.imul(number ^ (number >>> 15), 0x2c1b3c6d) + n;
    return `${n} ${number.toString(36)} ${(number ^ 0x55555555).toString(36)} and some words of a line\n`;
  }).join("");
}

test("twenty edits of one line in a large text take hardly more room than the text, and all are read back", async () => {
  const path = join(base, "large.jsonl");
  const journal = createFileJournal(path);
  const texts = [linesOf(20_000, "large")];
  for (let n = 1; n <= 20; n++) texts.push((texts.at(-1) ?? "").replace(`\n${n * 900} `, `\nchanged ${n} `));
  await journal.intend({ ...entry, after: { text: texts[0] ?? "", version: "0" } });
  const first = (await stat(path)).size;
  for (let n = 1; n <= 20; n++) {
    const sides = { before: { text: texts[n - 1] ?? "", version: "" }, after: { text: texts[n] ?? "", version: "" } };
    const id = await createFileJournal(path).intend({ ...entry, ...sides });
    await journal.settle(id, { version: String(n) });
  }
  expect(((await stat(path)).size - first) / 20).toBeLessThan((texts[0]?.length ?? 0) / 40);
  const found = await createFileJournal(path).history(entry.uri, { owner: "folder" });
  expect(found.map(({ after }) => texts.indexOf(after?.text ?? ""))).toEqual(texts.map((_, n) => 20 - n));
  expect(found.map(({ before }) => texts.indexOf(before?.text ?? "none"))).toEqual(texts.map((_, n) => 19 - n));
});

test("a text with a lone surrogate or a NUL is read back as it was, whatever its length", async () => {
  const journal = createFileJournal(join(base, "odd.jsonl"));
  for (const odd of ["\ud800", "\0", "😀"]) {
    for (const text of [odd, `${linesOf(500, "odd")}${odd}`]) {
      const id = await journal.intend({ ...entry, after: { text, version: "" } });
      expect((await journal.get(id)).after?.text === text).toBe(true);
    }
  }
});

test("a piece that is missing or damaged is told with the entry's name, and costs no other entry", async () => {
  const path = join(base, "damaged.jsonl");
  const journal = createFileJournal(path);
  const whole = await journal.intend({ ...entry, after: { text: linesOf(300, "whole"), version: "" } });
  const broken = await journal.intend({ ...entry, after: { text: linesOf(300, "broken"), version: "" } });
  const lines = (await readFile(path, "utf8")).split("\n");
  const at = lines.findLastIndex((line) => line.startsWith('{"chunk"'));
  const line = lines[at] ?? "";
  const read = async (id: string, text: string): Promise<string | undefined> => {
    await writeFile(path, lines.with(at, text).join("\n"));
    expect(await journal.history(entry.uri, { owner: "folder" })).toHaveLength(2);
    return (await journal.get(id)).after?.text;
  };
  for (const bad of ["", line.slice(0, -30), line.replace(/"data":"..../, '"data":"AAAA')]) {
    await expect(read(broken, bad)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining(`the journal entry ${broken} of file:///a.md cannot be read`),
    });
    expect((await read(whole, bad)) === linesOf(300, "whole")).toBe(true);
  }
  // A line that was torn is not taken for the piece: whoever has the same text again writes it again.
  await read(whole, line.slice(0, -30));
  await journal.intend({ ...entry, after: { text: linesOf(300, "broken"), version: "" } });
  expect((await journal.get(broken)).after?.text === linesOf(300, "broken")).toBe(true);
});

test("pieces whose entry was never written are no entry, and serve the next one that has them", async () => {
  const path = join(base, "killed.jsonl");
  const journal = createFileJournal(path);
  const text = linesOf(300, "killed");
  await journal.intend({ ...entry, after: { text, version: "" } });
  const pieces = (await readFile(path, "utf8")).split("\n").filter((line) => line.startsWith('{"chunk"'));
  await writeFile(path, `\n${pieces.join("\n")}\n{"uri":"file:///a.md","own`);
  expect(await journal.history(entry.uri, { owner: "folder" })).toEqual([]);
  const id = await journal.intend({ ...entry, after: { text, version: "" } });
  expect((await readFile(path, "utf8")).split('{"chunk"')).toHaveLength(pieces.length + 1);
  expect((await journal.get(id)).after?.text === text).toBe(true);
});

test("a file of a journal has all pieces that its entries name, also after another one was set aside", async () => {
  const path = join(base, "aside.jsonl");
  const journal = createFileJournal(path);
  const text = linesOf(300, "aside");
  await journal.intend({ ...entry, after: { text, version: "" } });
  await setAsideFile(path);
  await journal.intend({ ...entry, after: { text, version: "" } });
  for (const file of [path, ...(await setAsideFiles(path))]) {
    const [record] = await readJournalFile(file);
    expect(record?.after?.text === text).toBe(true);
  }
  expect(await journal.history(entry.uri, { owner: "folder" })).toHaveLength(2);
});

test("a journal in files is bounded: the oldest entries go, and the history of each text says how many", async () => {
  const path = join(base, "bounded.jsonl");
  const dropped: number[] = [];
  const limits = { maxBytes: 30_000, maxKeptBytes: 120_000, onDropped: (bytes: number) => void dropped.push(bytes) };
  let now = 0;
  const journal = createFileJournal(path, () => new Date((now += 1_000)), limits);
  const ids: string[] = [];
  for (let n = 0; n < 30; n++) {
    const id = await journal.intend({ ...entry, after: { text: linesOf(600, `bounded${n}`), version: "" } });
    await journal.settle(id, { version: String(n) });
    ids.push(id);
    // Makes the files look a second older.
    for (const file of await setAsideFiles(path)) {
      const [first] = await readJournalFile(file);
      if (first !== undefined) await utimes(file, first.at, first.at);
    }
  }
  const files = [path, ...(await setAsideFiles(path))];
  const sizes = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200_000);
  const found = await journal.history(entry.uri, { owner: "folder" });
  expect(found.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, found.length));
  expect(found.every(({ after }) => after?.text.startsWith("0 ") === true)).toBe(true);
  const pruned = await journal.pruned(entry.uri, { owner: "folder" });
  expect(pruned).toEqual({
    count: 30 - found.length,
    lastId: ids[29 - found.length],
    until: new Date((30 - found.length) * 1_000),
  });
  expect(await journal.pruned("file:///b.md", { owner: "folder" })).toBeUndefined();
  expect(dropped.length).toBeGreaterThan(0);
});

test("a change that needs more room than the journal has is refused with both numbers, and nothing is written", async () => {
  const path = join(base, "no-room.jsonl");
  const journal = createFileJournal(path, () => new Date(), { maxKeptBytes: 10_000 });
  await expect(
    journal.intend({ ...entry, after: { text: linesOf(2_500, "no room"), version: "" } }),
  ).rejects.toMatchObject({
    code: "over_budget",
    message: expect.stringMatching(/has room for 10000 bytes, and this change needs \d{5}/),
  });
  expect((await stat(path)).size).toBe(0);
});

test("a change that the file journal cannot write is refused with the file's name", async () => {
  const path = join(base, "no-file");
  await mkdir(path);
  for (const after of [undefined, { text: linesOf(300, "refused"), version: "" }]) {
    await expect(createFileJournal(path).intend({ ...entry, ...(after && { after }) })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining(path),
    });
  }
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
