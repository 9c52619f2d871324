import { type Database, migrate, type MigrationSet } from "@ikigai/database";

/** No such table, no such schema. */
const NO_TABLES: ReadonlySet<string> = new Set(["42P01", "3F000"]);

/**
 * A database whose tables are there: the first statement waits for the migrations, and a failed try is made again.
 * Its status can be had without.
 */
export function withTables(database: Database, sets: readonly MigrationSet[]): Database {
  let ready: Promise<unknown> | undefined;
  const whenReady = async (): Promise<void> => {
    ready ??= migrate(database, sets);
    try {
      await ready;
    } catch (error) {
      ready = undefined;
      throw error;
    }
  };
  /** A store that was removed while this program ran is a new one by now: it gets its tables, once. */
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    await whenReady();
    try {
      return await work();
    } catch (error) {
      if (!NO_TABLES.has(((error as Error).cause as { code?: string } | undefined)?.code ?? "")) throw error;
      ready = undefined;
      await whenReady();
      return work();
    }
  };
  return {
    ...database,
    query: (text, values) => run(() => database.query(text, values)),
    transaction: (work, options) => run(() => database.transaction(work, options)),
  };
}
