import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { SourceHost } from "@ikigai/core";
import { testDataBlock } from "@ikigai/core/testing";
import Database from "libsql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sqliteSource } from "./index.ts";

const host: SourceHost = { mount: "db", signal: new AbortController().signal, services: {}, warn: () => {} };
let folder: string;
let files = 0;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "ikigai-sqlite-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));
const fresh = (): string => join(folder, `${++files}.db`);

testDataBlock({ test, source: sqliteSource, options: () => ({ file: fresh(), create: true }) });

describe("a table whose paths are numbers", () => {
  testDataBlock({
    test,
    source: sqliteSource,
    paths: (index) => String(index + 1),
    options: () => ({
      file: prepare("CREATE TABLE issue (number INTEGER PRIMARY KEY, body TEXT)"),
      table: "issue",
      pathColumn: "number",
      textColumn: "body",
    }),
  });
});

function prepare(...statements: readonly string[]): string {
  const file = fresh();
  const database = new Database(file);
  for (const statement of statements) database.exec(statement);
  database.close();
  return file;
}

async function paths(file: string, options: object = {}): Promise<string[]> {
  const source = await sqliteSource.open({ file, ...options }, host);
  const found: string[] = [];
  for await (const { path } of source.list("")) found.push(path);
  await source.close?.();
  return found;
}

test("a table that exists keeps its other columns", async () => {
  const file = prepare(
    `CREATE TABLE "my ""notes" (id INTEGER PRIMARY KEY, body TEXT, owner TEXT DEFAULT 'nobody')`,
    `INSERT INTO "my ""notes" VALUES (7, 'seven', 'ana'), (8, NULL, 'ben'), (12, 'twelve', 'ana')`,
  );
  const options = { table: 'my "notes', pathColumn: "id", textColumn: "body" };
  expect(await paths(file, options)).toEqual(["12", "7"]);
  const source = await sqliteSource.open({ file, ...options }, host);
  expect(await source.read("007")).toBeUndefined();
  const { version } = (await source.read("7")) ?? { version: "" };
  await source.write("7", "changed", { expected: version });
  await source.write("20", "new", { expected: null });
  await expect(source.write("x.md", "no number")).rejects.toMatchObject({ code: "invalid_input" });
  await source.close?.();
  const database = new Database(file);
  const rows = database.prepare(`SELECT body, owner FROM "my ""notes" WHERE id IN (7, 20) ORDER BY id`).all();
  database.close();
  expect(rows).toEqual([
    { body: "changed", owner: "ana" },
    { body: "new", owner: "nobody" },
  ]);
});

test("paths that differ in case stay apart, or are refused by the table", async () => {
  const file = prepare("CREATE TABLE documents (path TEXT COLLATE NOCASE PRIMARY KEY, text TEXT COLLATE NOCASE)");
  const source = await sqliteSource.open({ file }, host);
  const { version } = await source.write("a.md", "Text");
  expect(await source.read("A.md")).toBeUndefined();
  await expect(source.write("A.md", "other")).rejects.toMatchObject({ code: "invalid_input" });
  await expect(source.remove("A.md")).rejects.toMatchObject({ code: "not_found" });
  await source.write("a.md", "TEXT");
  await expect(source.write("a.md", "x", { expected: version })).rejects.toMatchObject({ code: "conflict" });
  await source.close?.();
});

test("rows whose path no address can spell are left out", async () => {
  const file = prepare(
    "CREATE TABLE documents (path TEXT PRIMARY KEY, text TEXT)",
    "INSERT INTO documents VALUES ('/a', 'x'), ('../b', 'x'), ('', 'x'), ('c\\d', 'x'), ('fine.md', 'x')",
  );
  expect(await paths(file)).toEqual(["fine.md"]);
});

test("a SQLite value that is not text is refused, not cut", async () => {
  const file = prepare(
    "CREATE TABLE documents (path TEXT PRIMARY KEY, text)",
    "INSERT INTO documents VALUES ('nul', CAST(x'610062' AS TEXT)), ('latin', x'e9'), ('number', 42)",
    "INSERT INTO documents VALUES (CAST(x'ff' AS TEXT), 'unreadable name')",
  );
  expect(await paths(file)).toEqual(["latin", "nul", "number"]);
  const source = await sqliteSource.open({ file }, host);
  for (const path of ["nul", "latin"]) await expect(source.read(path)).rejects.toMatchObject({ code: "unsupported" });
  expect((await source.read("number"))?.text).toBe("42");
  await source.close?.();
});

test("many documents come in order, page by page", async () => {
  const file = prepare(
    "CREATE TABLE documents (path TEXT PRIMARY KEY, text TEXT)",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200) " +
      "INSERT INTO documents SELECT printf('%05d.md', i), 'x' FROM n",
  );
  const found = await paths(file);
  expect(found).toHaveLength(1_200);
  expect(found).toEqual(found.toSorted());
});

test.each([
  ["no file", () => fresh(), "not_found"],
  ["no table", () => prepare("CREATE TABLE other (x)"), "not_found"],
  ["no column", () => prepare("CREATE TABLE documents (path TEXT PRIMARY KEY)"), "not_found"],
  ["a path that may come twice", () => prepare("CREATE TABLE documents (path TEXT, text TEXT)"), "unsupported"],
  ["a file that is no database", () => fileURLToPath(import.meta.url), "unavailable"],
])("a database with %s is refused by name", async (_, file, code) => {
  await expect(sqliteSource.open({ file: file() }, host)).rejects.toMatchObject({ code });
});

test("a unique index will do for a key", async () => {
  const file = prepare("CREATE TABLE documents (path TEXT, text TEXT)", "CREATE UNIQUE INDEX one ON documents (path)");
  expect(await paths(file)).toEqual([]);
});

test("texts over the limit are refused with both numbers", async () => {
  const file = fresh();
  const source = await sqliteSource.open({ file, create: true, maxBytes: 10 }, host);
  await expect(source.write("a.md", "x".repeat(11))).rejects.toThrow("11 bytes, more than the 10");
  const wide = await sqliteSource.open({ file }, host);
  await wide.write("b.md", "x".repeat(11));
  await expect(source.read("b.md")).rejects.toMatchObject({ code: "unsupported" });
  await source.close?.();
  await wide.close?.();
});

test("a database that another program holds is unavailable, and nothing changes", async () => {
  const file = fresh();
  const source = await sqliteSource.open({ file, create: true, busyMs: 0 }, host);
  const other = new Database(file);
  other.exec("BEGIN IMMEDIATE");
  await expect(source.write("a.md", "x")).rejects.toMatchObject({ code: "unavailable" });
  other.exec("ROLLBACK");
  other.close();
  expect(await source.read("a.md")).toBeUndefined();
  await source.close?.();
});

test("processes that add to one document lose nothing", async () => {
  const file = fresh();
  const source = await sqliteSource.open({ file, create: true }, host);
  await source.write("a.md", "");
  const fixture = fileURLToPath(new URL("testing/append.mjs", import.meta.url));
  const run = (name: string) => promisify(execFile)(process.execPath, [fixture, file, name, "20"]);
  await Promise.all([run("x"), run("y")]);
  const text = (await source.read("a.md"))?.text ?? "";
  await source.close?.();
  expect(text.split("x")).toHaveLength(21);
  expect(text.split("y")).toHaveLength(21);
});
