import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { readlinkSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensureData } from "./create-data.ts";
import { openEngine } from "./engine.ts";
import { queryMessage, readAnswer } from "./wire.ts";

const template = join(tmpdir(), `ikigai-test-stores-${userInfo().uid}`, "template-pglite-0.5.14");
let store: string;

beforeEach(async () => {
  store = await mkdtemp(join(tmpdir(), "ikigai-engine-"));
});
afterEach(() => rm(store, { recursive: true, force: true }));

/** What a statement made the engine sync, by name. */
async function syncsOf(durable: boolean, statements: readonly string[]): Promise<string[][]> {
  const names: string[] = [];
  const onSync = (fd: number): void => void names.push(readlinkSync(`/proc/self/fd/${fd}`));
  const engine = await openEngine(await ensureData(store, { durable: false, template }), { durable, onSync });
  const seen = statements.map((statement) => {
    names.length = 0;
    expect(readAnswer(engine.execute(queryMessage(statement))).state).toBe("I");
    return [...names];
  });
  await engine.close();
  return seen;
}

test("a durable engine has synced its log when a commit returns, and its tables at a checkpoint", async () => {
  const statements = ["create table t (n int)", "insert into t values (1)", "select n from t", "checkpoint"];
  const [create, insert, select, checkpoint] = await syncsOf(true, statements);
  expect(create?.some((name) => name.includes("/pg_wal/"))).toBe(true);
  expect(insert).toEqual([expect.stringContaining("/pg_wal/")]);
  expect(select).toEqual([]);
  expect(checkpoint?.some((name) => name.includes("/base/"))).toBe(true);
  expect(checkpoint?.some((name) => name.endsWith("/global/pg_control"))).toBe(true);
});

test("an engine that is not durable syncs nothing", async () => {
  expect(await syncsOf(false, ["create table t (n int)", "checkpoint"])).toEqual([[], []]);
});

test("what an initialisation left unfinished is thrown away", async () => {
  await mkdir(join(store, "data.new"));
  await writeFile(join(store, "data.new", "half"), "");
  const data = await ensureData(store, { durable: true, template });
  expect(await readdir(store)).toEqual(["data"]);
  expect(await readdir(data)).not.toContain("half");
  expect((await stat(data)).mode & 0o777).toBe(0o700);
});
