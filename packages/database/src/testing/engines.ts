import { randomBytes } from "node:crypto";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { type Database, openDatabase } from "../database.ts";
import { processStart } from "../keeper/machine.ts";
import { migrate, type MigrationSet } from "../migrate.ts";
import type { DatabaseOptions } from "../options.ts";
import { startTestServer } from "./server.ts";

export interface FreshOptions {
  readonly sets?: readonly MigrationSet[];
  readonly statementTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly maxConnections?: number;
}

/**
 * An engine with a schema for each test. The embedded store is shared by all test files of a user and stays for the
 * next run, since opening one takes a second or more; the server belongs to the file.
 */
export interface TestEngine {
  readonly name: "embedded" | "server";
  /** A migrated database with a schema of its own. Contract: closed by `stop` at the latest. */
  fresh(options?: FreshOptions): Promise<Database>;
  /** What opens `database` again, also from another process. */
  optionsOf(database: Database): DatabaseOptions;
  /** Closes what `fresh` opened, drops its schemas and lets go of the engine. */
  stop(): Promise<void>;
}

/** Both engines, each started when it is first used. */
export function testEngines(): readonly TestEngine[] {
  return [createEngine("embedded", startStore), createEngine("server", startServer)];
}

interface Running {
  readonly target: { readonly directory: string } | { readonly url: string };
  stop(schemas: readonly string[]): Promise<void>;
}

const SCHEMA = "test_";

function createEngine(name: TestEngine["name"], start: () => Promise<Running>): TestEngine {
  let running: Promise<Running> | undefined;
  const open = new Map<Database, DatabaseOptions>();
  let count = 0;
  const run = `${SCHEMA}${process.pid}_${randomBytes(4).toString("hex")}`;
  return {
    name,
    async fresh({ sets = [], ...limits } = {}) {
      running ??= start();
      const { target } = await running;
      count += 1;
      const options: DatabaseOptions = { ...common, ...limits, ...target, schema: `${run}_${count}` };
      const database = openDatabase(options);
      open.set(database, options);
      await migrate(database, sets);
      return database;
    },
    optionsOf(database) {
      const options = open.get(database);
      if (options === undefined) throw new Error("This engine did not open that database");
      return options;
    },
    async stop() {
      const schemas = [...open.keys()].map(({ schema }) => schema);
      await Promise.all([...open.keys()].map((database) => database.close()));
      open.clear();
      await (await running)?.stop(schemas);
      running = undefined;
    },
  };
}

const cacheDirectory = join(tmpdir(), `ikigai-test-stores-${userInfo().uid}`);
const common = { cacheDirectory, keeperIdleMs: 5_000, durable: false };

async function startStore(): Promise<Running> {
  const directory = join(cacheDirectory, "shared");
  const database = openDatabase({ ...common, directory });
  await dropSchemas(database, await leftSchemas(database));
  return {
    target: { directory },
    async stop(schemas) {
      await dropSchemas(database, schemas);
      await database.close();
    },
  };
}

/** What runs that did not come to their end left behind. */
async function leftSchemas(database: Database): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    "select nspname::text as name from pg_namespace where starts_with(nspname, $1)",
    [SCHEMA],
  );
  return rows.map(({ name }) => name).filter((name) => processStart(Number(name.split("_")[1])) === undefined);
}

async function dropSchemas(database: Database, schemas: readonly string[]): Promise<void> {
  for (const schema of schemas) await database.query(`drop schema if exists ${schema} cascade`);
}

async function startServer(): Promise<Running> {
  const server = await startTestServer();
  return { target: { url: server.url }, stop: () => server.stop() };
}
