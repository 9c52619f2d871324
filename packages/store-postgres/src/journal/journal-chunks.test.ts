import { randomBytes } from "node:crypto";
import { type Database, migrate, type Sql } from "@ikigai/database";
import { testEngines } from "@ikigai/database/testing";
import { cutText, type JournalEntry } from "@ikigai/memory";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { createJournal, exportStore, importStore } from "../index.ts";
import { type PostgresJournal } from "./journal.ts";
import { keepChunks, removeUnnamedChunks } from "./journal-chunks.ts";
import { storeMigrations } from "../migrations.ts";
import { pruneStore } from "../retention.ts";
import { storeTables } from "../transfer.ts";

const entry = { uri: "file:///a.md", owner: "ana", agent: "ana" } satisfies JournalEntry;
const sets = [storeMigrations];

/** Lines that no two places and no two seeds have in common. */
function linesOf(count: number, seed = "a"): string {
  let number = Buffer.from(seed).reduce((sum, byte) => Math.imul(sum, 31) + byte, 7);
  return Array.from({ length: count }, (_, n) => {
    number = Math.imul(number ^ (number >>> 15), 0x2c1b3c6d) + n;
    return `${n} ${number.toString(36)} ${(number ^ 0x55555555).toString(36)} and some words of a line\n`;
  }).join("");
}

/** Whether a transaction waits for a lock that this one has. */
async function isAwaited(tx: Sql): Promise<boolean> {
  const { count } = await tx.query("select from pg_locks where locktype = 'advisory' and not granted");
  return count > 0;
}

const state = (text: string, version = ""): { text: string; version: string } => ({ text, version });

describe.each(testEngines())("large texts of a journal on the $name engine", (engine) => {
  afterAll(() => engine.stop());
  const open = async (): Promise<{ database: Database; journal: PostgresJournal }> => {
    const database = await engine.fresh({ sets });
    return { database, journal: createJournal(database) };
  };
  const bytesOf = async (database: Database): Promise<number> => {
    const { rows } = await database.query<{ size: string }>(
      "select pg_total_relation_size('journal') + pg_total_relation_size('journal_chunk') as size",
    );
    return Number(rows[0]?.size);
  };
  const countOf = async (database: Database): Promise<number> =>
    (await database.query("select from journal_chunk")).count;

  test("an edit of one line costs a small part of the text, and every version is read back", async () => {
    const { database, journal } = await open();
    const texts = [linesOf(14_000)];
    for (let n = 1; n <= 5; n++) {
      const before = texts.at(-1) ?? "";
      texts.push(before.replace(`\n${n * 2_500} `, `\nchanged ${n} `));
    }
    await journal.settle(await journal.intend({ ...entry, after: state(texts[0] ?? "") }), { version: "0" });
    const first = await bytesOf(database);
    for (let n = 1; n <= 5; n++) {
      const sides = { before: state(texts[n - 1] ?? "", String(n - 1)), after: state(texts[n] ?? "") };
      await journal.settle(await journal.intend({ ...entry, ...sides }), { version: String(n) });
    }
    expect(((await bytesOf(database)) - first) / 5).toBeLessThan((texts[0]?.length ?? 0) / 20);
    const records = await journal.history(entry.uri, { owner: "ana" });
    expect(records.map(({ after }) => texts.indexOf(after?.text ?? ""))).toEqual([5, 4, 3, 2, 1, 0]);
    expect(records.slice(0, 5).map(({ before }) => texts.indexOf(before?.text ?? ""))).toEqual([4, 3, 2, 1, 0]);
    expect((await journal.get(records[3]?.id ?? "")).before?.text === texts[1]).toBe(true);
  });

  test("a journal gives back exactly the texts that it was given", async () => {
    const { journal } = await open();
    const part = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 2_000 }),
      fc.nat(50).map((seed) => linesOf(300, String(seed))),
    );
    const text = fc.array(part, { maxLength: 6 }).map((parts) => parts.join("").replaceAll("\0", " ").toWellFormed());
    const edit = fc.tuple(text, fc.nat(100), fc.nat(3_000), part);
    await fc.assert(
      fc.asyncProperty(edit, async ([before, place, gone, added]) => {
        const at = Math.floor((before.length * place) / 100);
        const after = (before.slice(0, at) + added + before.slice(at + gone)).replaceAll("\0", " ").toWellFormed();
        const id = await journal.intend({ ...entry, before: state(before, "1"), after: state(after, "2") });
        const record = await journal.get(id);
        expect(record.before?.text === before && record.after?.text === after).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  test("an entry whose piece is missing or damaged says so and names itself; others stay whole", async () => {
    const { database, journal } = await open();
    const [whole, broken] = [linesOf(2_000, "whole"), linesOf(2_000, "broken")];
    const good = await journal.intend({ ...entry, after: state(whole) });
    const bad = await journal.intend({ ...entry, before: state(broken), after: state(whole) });
    const [key] = [...(cutText(broken)?.chunks.keys() ?? [])];
    const hash = Buffer.from(key ?? "", "hex");
    await database.query("update journal_chunk set bytes = substr(bytes, 2) where hash = $1", [hash]);
    const told = new RegExp(`journal entry ${bad} of file:///a.md cannot be read: a piece of it is`);
    const read = async (): Promise<string | undefined> => (await journal.get(bad)).before?.text;
    await expect(read()).rejects.toMatchObject({ code: "unavailable", message: expect.stringMatching(told) });
    await database.query("delete from journal_chunk where hash = $1", [hash]);
    await expect(read()).rejects.toMatchObject({ message: expect.stringContaining("is missing") });
    const records = await journal.history(entry.uri, { owner: "ana" });
    expect(records.map(({ id }) => id)).toEqual([bad, good]);
    expect(records[1]?.after?.text === whole && records[0]?.after?.text === whole).toBe(true);
    // Whoever keeps the text again keeps the piece again, and mends the entry with it.
    await journal.intend({ ...entry, after: state(broken) });
    expect((await read()) === broken).toBe(true);
  });

  test("a text with a NUL is refused whatever its length, and leaves no piece behind", async () => {
    const { database, journal } = await open();
    for (const text of ["\0", `${linesOf(2_000)}\0`]) {
      await expect(journal.intend({ ...entry, after: state(text) })).rejects.toThrow("0x00");
    }
    expect(await countOf(database)).toBe(0);
  });

  test("pieces go with the last entry that names them, and no others", async () => {
    const { database, journal } = await open();
    const [old, kept] = [linesOf(14_000, "old"), linesOf(14_000, "kept")];
    await journal.record({ ...entry, after: state(`${old}${kept}`) });
    await journal.record({ ...entry, uri: "file:///b.md", after: state(kept) });
    const all = await countOf(database);
    await pruneStore(database, { journal: { rows: 1 } }, { dryRun: true });
    expect(await countOf(database)).toBe(all);
    await pruneStore(database, { journal: { rows: 1 } });
    expect(await countOf(database)).toBe(cutText(kept)?.chunks.size);
    expect((await journal.history("file:///b.md", { owner: "ana" }))[0]?.after?.text === kept).toBe(true);
    await pruneStore(database, { journal: { rows: 0 } });
    expect(await countOf(database)).toBe(0);
  });

  test.runIf(engine.name === "embedded")("the room of entries that went is used again", async () => {
    const { database, journal } = await open();
    const sizes: number[] = [];
    for (let times = 0; times < 4; times++) {
      const text = randomBytes(400_000).toString("base64");
      await journal.record({ ...entry, after: state(text, String(times)) });
      sizes.push(await bytesOf(database));
      await pruneStore(database, { journal: { rows: 0 } });
    }
    expect(sizes.at(-1)).toBeLessThan((sizes[0] ?? 0) * 1.5);
  });

  test("a piece that another transaction is about to name is not removed under it", async () => {
    const { database, journal } = await open();
    const text = linesOf(3_000);
    await journal.record({ ...entry, after: state(text) });
    await database.query("delete from journal");
    const cut = cutText(text);
    if (cut === undefined) throw new Error("the text is not cut");
    let removing: Promise<number> | undefined;
    await database.transaction(async (tx) => {
      await keepChunks(tx, [cut]);
      await tx.query("select");
      const progress = { removed: false };
      removing ??= removeUnnamedChunks(database).finally(() => (progress.removed = true));
      // The embedded engine has one transaction at a time; a server's waits for the lock.
      while (engine.name === "server" && !progress.removed && !(await isAwaited(tx)));
      await tx.query("insert into journal (uri, owner, agent, after_chunks) values ($1, 'ana', 'ana', $2)", [
        entry.uri,
        cut.root,
      ]);
    });
    expect(await removing).toBe(0);
    expect((await journal.history(entry.uri, { owner: "ana" }))[0]?.after?.text === text).toBe(true);
  });

  test("many writers and a pruner at once lose no piece of an entry that stays", async () => {
    const { database } = await open();
    const writers = [1, 2, 3].map(async (writer) => {
      const journal = createJournal(database);
      for (let n = 0; n < 8; n++) {
        // All write the same few texts, so that what one lets go of another is taking up.
        const text = linesOf(1_500, String(n % 3));
        await journal.record({ ...entry, uri: `file:///${writer}-${n}`, after: state(text, String(n)) });
        if (n % 2 === 0) await database.query("delete from journal where uri = $1", [`file:///${writer}-${n}`]);
      }
    });
    const progress = { written: false };
    const pruning = (async () => {
      while (!progress.written) await removeUnnamedChunks(database);
    })();
    await Promise.all(writers);
    progress.written = true;
    await pruning;
    const journal = createJournal(database);
    for (const writer of [1, 2, 3]) {
      for (const n of [1, 3, 5, 7]) {
        const [record] = await journal.history(`file:///${writer}-${n}`, { owner: "ana" });
        expect(record?.after?.text === linesOf(1_500, String(n % 3))).toBe(true);
      }
    }
  });

  test("a store that is moved has the large texts too", async () => {
    const { database, journal } = await open();
    const text = linesOf(14_000);
    await journal.record({ ...entry, before: state(text, "1"), after: state(`${text}more`, "2") });
    const lines: string[] = [];
    await exportStore(database, storeTables, (line) => void lines.push(line));
    const target = await engine.fresh({ sets });
    await importStore(
      target,
      storeTables,
      (async function* () {
        yield* lines;
      })(),
    );
    const [record] = await createJournal(target).history(entry.uri, { owner: "ana" });
    expect(record?.before?.text === text && record.after?.text === `${text}more`).toBe(true);
  });

  test("an undo in a store, or in an export, from before undos had a field is known as one", async () => {
    const older = {
      ...storeMigrations,
      migrations: storeMigrations.migrations.filter(({ id }) => id !== "0017-journal-undo"),
    };
    const database = await engine.fresh({ sets: [older] });
    await database.query(
      `insert into journal (uri, owner, agent, reason, after_text, after_version)
       values ($1, 'ana', 'ana', 'tidy', 'one', '1'), ($1, 'ana', 'ana', 'undo of 1', 'two', '2'), ($1, 'ana', 'ana', null, 'three', '3')`,
      [entry.uri],
    );
    const lines: string[] = [];
    await exportStore(database, storeTables, (line) => void lines.push(line));
    const target = await engine.fresh({ sets });
    await importStore(
      target,
      storeTables,
      (async function* () {
        yield* lines;
      })(),
    );
    await migrate(database, sets);
    for (const store of [database, target]) {
      const records = await createJournal(store).history(entry.uri, { owner: "ana" });
      expect(records.map(({ undoes }) => undoes)).toEqual([undefined, "1", undefined]);
    }
  });

  test("entries of a store from before the chunks are read as they were", async () => {
    const older = {
      ...storeMigrations,
      migrations: storeMigrations.migrations.filter(({ id }) => id !== "0016-journal-chunks"),
    };
    const database = await engine.fresh({ sets: [older] });
    const text = linesOf(1_000);
    await database.query(
      `insert into journal (uri, owner, agent, before_text, before_version, after_text, after_version, after_from, after_to)
       values ($1, 'ana', 'ana', $2, '1', 'new', '2', 10, 20)`,
      [entry.uri, text],
    );
    await migrate(database, sets);
    const [record] = await createJournal(database).history(entry.uri, { owner: "ana" });
    expect(record?.before?.text === text).toBe(true);
    expect(record?.after?.text === `${text.slice(0, 10)}new${text.slice(20)}`).toBe(true);
  });
});
