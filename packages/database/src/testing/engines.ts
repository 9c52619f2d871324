import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { stopKeeper } from "../client/keeper-client.ts";
import { type Database, openDatabase } from "../database.ts";
import { migrate, type MigrationSet } from "../migrate.ts";
import type { DatabaseOptions } from "../options.ts";
import { startTestServer } from "./server.ts";

export interface FreshOptions {
  readonly sets?: readonly MigrationSet[];
  readonly statementTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly maxConnections?: number;
}

/** An engine that a test file shares, with a schema for each test. */
export interface TestEngine {
  readonly name: "embedded" | "server";
  /** A migrated database with a schema of its own. Contract: closed by `stop` at the latest. */
  fresh(options?: FreshOptions): Promise<Database>;
  /** What opens `database` again, also from another process. */
  optionsOf(database: Database): DatabaseOptions;
  /** Closes what `fresh` opened and ends the engine. */
  stop(): Promise<void>;
}

/** Both engines, each started when it is first used. */
export function testEngines(): readonly TestEngine[] {
  return [createEngine("embedded", startStore), createEngine("server", startServer)];
}

interface Running {
  readonly target: { readonly directory: string } | { readonly url: string };
  stop(): Promise<void>;
}

function createEngine(name: TestEngine["name"], start: () => Promise<Running>): TestEngine {
  let running: Promise<Running> | undefined;
  const open = new Map<Database, DatabaseOptions>();
  let count = 0;
  return {
    name,
    async fresh({ sets = [], ...limits } = {}) {
      running ??= start();
      const { target } = await running;
      count += 1;
      const options: DatabaseOptions = { ...common, ...limits, ...target, schema: `test_${process.pid}_${count}` };
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
      await Promise.all([...open.keys()].map((database) => database.close()));
      open.clear();
      await (await running)?.stop();
      running = undefined;
    },
  };
}

const cacheDirectory = join(tmpdir(), `ikigai-test-stores-${userInfo().uid}`);
const common = { cacheDirectory, keeperIdleMs: 5_000, durable: false };

async function startStore(): Promise<Running> {
  const directory = await mkdtemp(join(tmpdir(), "ikigai-store-"));
  return {
    target: { directory },
    async stop() {
      await stopKeeper(directory);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function startServer(): Promise<Running> {
  const server = await startTestServer();
  return { target: { url: server.url }, stop: () => server.stop() };
}
