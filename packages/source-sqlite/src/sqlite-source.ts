import { type DataBlockDefinition, defineDataBlock } from "@ikigai/core";
import { openSqliteSource } from "./open-sqlite-source.ts";
import { type SqliteSourceOptions, sqliteSourceOptions } from "./options.ts";

/**
 * The rows of an SQLite table as documents: one column is the path, one the text.
 *
 * Contract: other columns stay as they are; whether a version is still the present one is decided inside the transaction
 * that changes the row, so programs that share the file lose nothing of each other.
 */
export const sqliteSource: DataBlockDefinition<SqliteSourceOptions, "write" | "remove"> = defineDataBlock({
  name: "sqlite",
  capabilities: ["write", "remove"],
  options: sqliteSourceOptions,
  guidance: (mount) => `${mount}:/// holds documents that are rows of a database table.`,
  open: (options: SqliteSourceOptions) => openSqliteSource(options),
});
