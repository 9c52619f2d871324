import { type Database, findKeeper, migrate, type MigrationSet, openDatabase } from "@ikigai/database";
import { startTestServer } from "@ikigai/database/testing";
import { recallMigrations } from "@ikigai/recall";
import { assetMigrations } from "@ikigai/source-postgres";
import { storeMigrations } from "@ikigai/store-postgres";
import type { Temporary } from "./temporary.ts";

export const MIGRATIONS: readonly MigrationSet[] = [
  assetMigrations,
  storeMigrations,
  { name: "recall", migrations: recallMigrations },
];

/** A database on each engine, durable as users have it. */
export interface Engine {
  readonly name: "embedded" | "server";
  readonly database: Database;
  /** The server's address, for a client of its own. */
  readonly url?: string;
  /** This process and, where there is one, the keeper: who does the work. A server counts as somebody else's. */
  pids(): Promise<readonly number[]>;
}

export async function openEngines(temporary: Temporary): Promise<readonly Engine[]> {
  const server = await startTestServer();
  temporary.defer(() => server.stop());
  const directory = await temporary.store();
  const embedded = openDatabase({ directory });
  temporary.defer(() => embedded.close());
  const remote = openDatabase({ url: server.url });
  temporary.defer(() => remote.close());
  await migrate(embedded, MIGRATIONS);
  await migrate(remote, MIGRATIONS);
  const own = process.pid;
  return [
    {
      name: "embedded",
      database: embedded,
      pids: async () => [own, (await findKeeper(directory))?.pid].filter((pid) => pid !== undefined),
    },
    { name: "server", database: remote, url: server.url, pids: async () => [own] },
  ];
}
