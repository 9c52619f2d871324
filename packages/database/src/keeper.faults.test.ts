import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Database, findKeeper, migrate, openDatabase, stopKeeper } from "./index.ts";
import { type EmbeddedOptions } from "./options.ts";
import { startChild } from "./testing/index.ts";

const CLIENT = fileURLToPath(new URL("../fixtures/client.mjs", import.meta.url));
const cacheDirectory = join(tmpdir(), `ikigai-test-stores-${userInfo().uid}`);
const stores: string[] = [];
const opened: Database[] = [];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ikigai-faults-"));
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
  for (const store of stores.splice(0)) await stopKeeper(store);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function options(more: Partial<EmbeddedOptions> = {}): EmbeddedOptions {
  const directory = join(folder, randomUUID());
  stores.push(directory);
  return { directory, cacheDirectory, keeperIdleMs: 5_000, ...more };
}

async function openNotes(chosen: EmbeddedOptions): Promise<Database> {
  const database = openDatabase(chosen);
  opened.push(database);
  await migrate(database, []);
  await database.query("create table note (text text primary key)");
  return database;
}

test("four processes start together on a new store, 20 times", { timeout: 600_000 }, async () => {
  for (let round = 0; round < 20; round += 1) {
    const chosen = options();
    const children = [1, 2, 3, 4].map(() => startChild(CLIENT, "start", chosen));
    const said = (await Promise.all(children.map((child) => child.next()))) as { ran: string[]; holder: number }[];
    expect(new Set(said.map(({ holder }) => holder)).size).toBe(1);
    expect(said.flatMap(({ ran }) => ran)).toHaveLength(1);
    expect(await Promise.all(children.map(({ ended }) => ended))).toEqual([0, 0, 0, 0]);
    await stopKeeper(chosen.directory);
  }
});

test("the keeper is killed under load, 20 times: nothing acknowledged is lost", { timeout: 600_000 }, async () => {
  const chosen = options();
  const database = await openNotes(chosen);
  const acknowledged: string[] = [];
  const refused: unknown[] = [];
  const stopping = new AbortController();
  const write = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const text = randomUUID();
      try {
        const insert = { idempotencyKey: text };
        await database.transaction((tx) => tx.query("insert into note values ($1)", [text]), insert);
        acknowledged.push(text);
      } catch (error) {
        refused.push(error);
      }
    }
  };
  const writers = [1, 2, 3, 4].map(write);
  for (let round = 0; round < 20; round += 1) {
    const goal = acknowledged.length + 15 + round * 3;
    await expect.poll(() => acknowledged.length, { timeout: 60_000, interval: 5 }).toBeGreaterThan(goal);
    process.kill((await findKeeper(chosen.directory))?.pid ?? 0, "SIGKILL");
  }
  stopping.abort();
  await Promise.all(writers);
  const { rows } = await database.query<{ text: string }>("select text from note");
  const stored = new Set(rows.map(({ text }) => text));
  expect(acknowledged.filter((text) => !stored.has(text))).toEqual([]);
  for (const error of refused) expect(error).toMatchObject({ code: "unavailable" });
});

test("two stores are initialised at once where no template exists yet", { timeout: 120_000 }, async () => {
  const emptyCache = join(folder, "cache");
  const chosen = [options({ cacheDirectory: emptyCache }), options({ cacheDirectory: emptyCache })];
  await Promise.all(chosen.map(openNotes));
  expect(await readdir(emptyCache)).toEqual(["template-pglite-0.5.14"]);
  await openNotes(options({ cacheDirectory: emptyCache }));
});

test("a client that falls silent inside a transaction is ended", { timeout: 60_000 }, async () => {
  const chosen = options({ statementTimeoutMs: 500 });
  const database = await openNotes(chosen);
  const child = startChild(CLIENT, "hang", chosen);
  expect(await child.next()).toBe("inside");
  const insert = (): Promise<string> => database.query("insert into note values ('mine')").then(() => "stored", String);
  await expect.poll(insert, { timeout: 20_000 }).toBe("stored");
  child.process.kill("SIGKILL");
  expect((await database.query("select text from note")).rows).toEqual([{ text: "mine" }]);
});

test("a statement that never ends is a timeout, and the next one is served", { timeout: 60_000 }, async () => {
  const database = await openNotes(options({ statementTimeoutMs: 1_000 }));
  const endless = database.query("select count(*) from generate_series(1, 100000000000)");
  await expect(endless).rejects.toMatchObject({ code: "timeout" });
  const next = (): Promise<string> => database.query("insert into note values ('mine')").then(() => "stored", String);
  await expect.poll(next, { timeout: 30_000 }).toBe("stored");
});

test("a store that was not durable is synced as a whole when it becomes so", { timeout: 60_000 }, async () => {
  const chosen = options({ durable: false });
  await (await openNotes(chosen)).close();
  await stopKeeper(chosen.directory);
  const trace = join(folder, "sync-trace");
  const flags = ["-f", "-yy", "-o", trace, "-e", "trace=fsync", process.execPath, CLIENT, "start"];
  spawnSync("strace", [...flags, JSON.stringify({ ...chosen, durable: true, keeperIdleMs: 100 })]);
  const synced = (await readFile(trace, "utf8")).split("\n").filter((call) => call.includes("/data/base/"));
  expect(synced.length).toBeGreaterThan(500);
});

test("the log is on the disk before the client hears of the commit", { timeout: 60_000 }, async () => {
  const chosen = options();
  const database = await openNotes(chosen);
  const pid = (await findKeeper(chosen.directory))?.pid ?? 0;
  const trace = join(folder, "trace");
  const strace = spawn("strace", [
    "-f",
    "-yy",
    "-o",
    trace,
    "-e",
    "trace=pwrite64,write,fsync,writev,sendmsg",
    "-p",
    `${pid}`,
  ]);
  await new Promise((resolve) => void strace.stderr.once("data", resolve));
  await database.query("insert into note values ('traced')");
  strace.kill("SIGINT");
  await new Promise((resolve) => void strace.on("close", resolve));
  const calls = (await readFile(trace, "utf8")).split("\n");
  const synced = calls.findLastIndex((call) => /fsync\(.*pg_wal/.test(call));
  const written = calls.findLastIndex((call, index) => index < synced && /write.*pg_wal/.test(call));
  const answered = calls.findLastIndex((call) => /(?:write|sendmsg).*INSERT 0 1/.test(call));
  expect(written).toBeGreaterThanOrEqual(0);
  expect(synced).toBeGreaterThan(written);
  expect(answered).toBeGreaterThan(synced);
  expect(calls.slice(synced + 1, answered).filter((call) => /write.*pg_wal/.test(call))).toEqual([]);
});
