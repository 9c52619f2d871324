import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Database, findKeeper, migrate, openDatabase, stopKeeper } from "./index.ts";
import { type EmbeddedOptions } from "./options.ts";
import { holderState, readClaim } from "./keeper/store-lock.ts";
import { startChild } from "./testing/index.ts";

const CLIENT = fileURLToPath(new URL("../fixtures/client.mjs", import.meta.url));
const cacheDirectory = join(tmpdir(), `ikigai-test-stores-${userInfo().uid}`);
const noteTable = "create table note (text text primary key)";
let folder: string;
/** The store that most tests share: a new one takes a second or more. */
let shared: string;
const opened: Database[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ikigai-keeper-"));
  shared = join(folder, "store");
});

afterEach(() => Promise.all(opened.splice(0).map((database) => database.close())));

afterAll(async () => {
  for (const name of await readdir(folder)) await stopKeeper(join(folder, name));
  await rm(folder, { recursive: true, force: true });
});

function options(directory: string, more: Partial<EmbeddedOptions> = {}): EmbeddedOptions {
  return { directory, cacheDirectory, keeperIdleMs: 5_000, durable: false, ...more };
}

function open(directory: string, more: Partial<EmbeddedOptions> = {}): Database {
  const database = openDatabase(options(directory, more));
  opened.push(database);
  return database;
}

/** A database with an empty table of notes. */
async function openNotes(): Promise<Database> {
  const database = open(shared);
  await migrate(database, []);
  await database.query("drop table if exists note");
  await database.query(noteTable);
  return database;
}

async function writeNotes(database: Database, count: number, name: string): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const text = `${name}-${index}`;
    const idempotencyKey = randomUUID();
    await database.transaction((tx) => tx.query("insert into note values ($1)", [text]), { idempotencyKey });
    acknowledged.push(text);
  }
  return acknowledged;
}

async function notesOf(database: Database): Promise<string[]> {
  const { rows } = await database.query<{ text: string }>("select text from note");
  return rows.map(({ text }) => text).toSorted();
}

async function holderPid(directory: string): Promise<number> {
  return (await findKeeper(directory))?.pid ?? 0;
}

describe("the keeper of a store", () => {
  test("is one, though four processes start together on a new store", async () => {
    const children = [1, 2, 3, 4].map(() => startChild(CLIENT, "start", options(shared)));
    const answers = await Promise.all(children.map((child) => child.next()));
    const said = answers as { ran: string[]; holder: number }[];
    expect(new Set(said.map(({ holder }) => holder)).size).toBe(1);
    expect(said.flatMap(({ ran }) => ran)).toEqual(["database/0001-transaction-keys"]);
    expect(await Promise.all(children.map(({ ended }) => ended))).toEqual([0, 0, 0, 0]);
  });

  test("lets only its user in", async () => {
    await open(shared).query("select 1");
    const socket = (await readdir(shared)).find((name) => name.startsWith(".s.PGSQL.")) ?? "";
    expect((await stat(shared)).mode & 0o777).toBe(0o700);
    expect((await stat(join(shared, socket))).mode & 0o777).toBe(0o600);
  });

  test("says that it is not durable when it is not", async () => {
    const status = await open(shared).status();
    expect(status).toMatchObject({ durable: false, durability: expect.stringContaining("power cut") });
  });

  test("rolls back a client that was killed inside a transaction, and serves the others", async () => {
    const database = await openNotes();
    const child = startChild(CLIENT, "hang", options(shared));
    expect(await child.next()).toBe("inside");
    const other = database.query("insert into note values ('mine')");
    child.process.kill("SIGKILL");
    await other;
    expect(await notesOf(database)).toEqual(["mine"]);
  });

  test.each(["SIGKILL", "SIGTERM"] as const)("is replaced after %s under load; nothing is lost", async (signal) => {
    const database = await openNotes();
    const before = (await readClaim(shared))?.number ?? 0;
    const writers = ["a", "b", "c"].map((name) => writeNotes(database, 40, name));
    while ((await database.query("select from note")).count < 20);
    process.kill(await holderPid(shared), signal);
    const acknowledged = (await Promise.all(writers)).flat().toSorted();
    expect(await notesOf(database)).toEqual(acknowledged);
    expect((await readClaim(shared))?.number).toBe(before + 1);
  });

  test("is not taken for dead while it is stopped, or when its socket was removed", async () => {
    await open(shared).query("select 1");
    const holder = await findKeeper(shared);
    if (holder === undefined) throw new Error("No keeper");
    process.kill(holder.pid, "SIGSTOP");
    try {
      expect(await holderState(shared, holder)).toBe("alive");
      await rm(join(shared, `.s.PGSQL.${holder.port}`));
      expect(await holderState(shared, holder)).toBe("alive");
    } finally {
      process.kill(holder.pid, "SIGKILL");
    }
  });

  test("ends when idle, and the next use starts another", async () => {
    const first = open(shared, { keeperIdleMs: 100 });
    await first.query("select 1");
    const pid = await holderPid(shared);
    await first.close();
    const sockets = async (): Promise<string[]> => (await readdir(shared)).filter((name) => name.startsWith(".s."));
    await expect.poll(sockets, { timeout: 10_000 }).toEqual([]);
    expect(await holderPid(shared)).toBe(0);
    await open(shared).query("select 1");
    expect(await holderPid(shared)).not.toBe(pid);
  });
});

describe("a store whose folder is removed under its keeper", () => {
  const isRunning = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  test("acknowledges nothing any more; whoever goes on has a new store", async () => {
    const gone = join(folder, "gone");
    const database = open(gone);
    await migrate(database, []);
    await database.query(noteTable);
    const pid = await holderPid(gone);
    await rm(gone, { recursive: true });
    await expect(database.query("insert into note values ('lost')")).rejects.toThrow(/Connection|note/);
    await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false);
    expect(await migrate(database, [])).toEqual(["database/0001-transaction-keys"]);
    expect(await holderPid(gone)).not.toBe(pid);
  });

  test("loses its keeper also when nobody asks anything", async () => {
    const moved = join(folder, "moved");
    const database = open(moved, { keeperIdleMs: 60_000 });
    await database.query("select 1");
    const pid = await holderPid(moved);
    await rename(moved, join(folder, "elsewhere"));
    await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false);
    expect((await open(join(folder, "elsewhere")).query("select 1")).count).toBe(1);
  });
});

describe("a store that is hard to have", () => {
  test("is served though its path is longer than a socket's may be", async () => {
    const long = join(folder, "long-name-".repeat(20));
    const database = open(long);
    expect((await database.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    expect((await database.status()).location).toBe(long);
  });

  test("is not taken from another machine: the error names the holder", async () => {
    const far = join(folder, "far");
    await mkdir(far, { mode: 0o700 });
    const record = { host: "far/1", boot: "b", processSpace: "", pid: 77, started: "1", port: 5, since: "now" };
    await writeFile(join(far, "keeper-3.json"), JSON.stringify({ ...record, durable: true, released: false }));
    const error = open(far).query("select 1");
    await expect(error).rejects.toMatchObject({ code: "unavailable", message: expect.stringContaining('77 on "far"') });
    await rm(far, { recursive: true });
  });

  test("is taken over when its record was cut by a power failure, and then says why its data is unreadable", async () => {
    const broken = join(folder, "broken");
    await mkdir(join(broken, "data"), { recursive: true });
    await writeFile(join(broken, "data", "PG_VERSION"), "12\n");
    await writeFile(join(broken, "keeper-3.json"), '{"host":');
    const error = open(broken, { connectTimeoutMs: 20_000 }).query("select 1");
    await expect(error).rejects.toMatchObject({ code: "unavailable" });
    expect((await readClaim(broken))?.number).toBeGreaterThan(3);
  });
});
