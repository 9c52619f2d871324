import { type Database, migrate, type MigrationSet, openDatabase } from "@ikigai/database";
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
}

export async function openEngines(temporary: Temporary): Promise<readonly Engine[]> {
  const server = await startTestServer();
  temporary.defer(() => server.stop());
  const embedded = openDatabase({ directory: await temporary.store() });
  temporary.defer(() => embedded.close());
  const remote = openDatabase({ url: server.url });
  temporary.defer(() => remote.close());
  await migrate(embedded, MIGRATIONS);
  await migrate(remote, MIGRATIONS);
  return [
    { name: "embedded", database: embedded },
    { name: "server", database: remote, url: server.url },
  ];
}
