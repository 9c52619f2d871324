import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { recallMigrations } from "./migrations.ts";
import type { SqlClient } from "./sql-client.ts";

/** A PostgreSQL inside this process, with a schema per archive. */
export interface TestDatabase {
  readonly client: SqlClient;
  /** Moves to a new, empty schema with recall's tables. */
  fresh(): Promise<void>;
  /** Makes pgvector available, as a server's administrator would. */
  addVectors(): Promise<unknown>;
  close(): Promise<void>;
}

let schemas = 0;

export async function openTestDatabase(): Promise<TestDatabase> {
  const engine = await PGlite.create({ extensions: { vector } });
  const client: SqlClient = {
    query: (text, values) => engine.query(text, values as unknown[]),
    transaction: (work) =>
      engine.transaction((tx) => work({ query: (text, values) => tx.query(text, values as unknown[]) })),
  };
  return {
    client,
    async fresh() {
      schemas += 1;
      await engine.exec(`create schema test_${schemas}; set search_path to test_${schemas};`);
      for (const { sql } of recallMigrations) await engine.exec(sql);
    },
    addVectors: () => engine.exec("create extension vector with schema pg_catalog"),
    close: () => engine.close(),
  };
}
