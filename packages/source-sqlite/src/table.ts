import type Database from "libsql";
import { IkigaiError } from "@ikigai/core";

/** The statements for one table of documents. */
export interface Table {
  readonly select: string;
  readonly page: string;
  readonly insert: string;
  readonly update: string;
  readonly remove: string;
}

interface TableNames {
  readonly table: string;
  readonly pathColumn: string;
  readonly textColumn: string;
}

/**
 * The statements for a table whose columns were found.
 *
 * Contract: throws `not_found` when the table or a column is missing, `unsupported` when two rows could have one path.
 */
export function describeTable(database: Database.Database, names: TableNames): Table {
  const { table, pathColumn, textColumn } = names;
  const columns = database.prepare("SELECT name, pk FROM pragma_table_info(?)").all(table) as ColumnRow[];
  if (columns.length === 0) throw missing(`table "${table}"`, "Create it, or pass create: true.");
  for (const column of [pathColumn, textColumn]) {
    if (columns.some(({ name }) => name === column)) continue;
    throw missing(`column "${column}" in table "${table}"`, `It has: ${columns.map(({ name }) => name).join(", ")}.`);
  }
  if (!isUnique(database, names, columns)) {
    throw new IkigaiError("unsupported", `Column "${pathColumn}" of table "${table}" may hold a path twice`, {
      hint: "Make it the primary key, or add a unique index.",
    });
  }
  return statementsFor(names);
}

interface ColumnRow {
  readonly name: string;
  readonly pk: number;
}

function isUnique(database: Database.Database, { table, pathColumn }: TableNames, columns: ColumnRow[]): boolean {
  const keys = columns.filter(({ pk }) => pk > 0);
  if (keys.length === 1 && keys[0]?.name === pathColumn) return true;
  const indexes = database
    .prepare(`SELECT name FROM pragma_index_list(?) WHERE "unique" = 1 AND partial = 0`)
    .all(table) as { readonly name: string }[];
  return indexes.some(({ name }) => {
    const parts = database.prepare("SELECT name FROM pragma_index_info(?)").all(name) as { readonly name: string }[];
    return parts.length === 1 && parts[0]?.name === pathColumn;
  });
}

/**
 * A column's collation may take two paths for one; bytes have none. Texts are fetched as bytes too: the library ends the
 * process when one is not UTF-8.
 */
function statementsFor({ table, pathColumn, textColumn }: TableNames): Table {
  const [from, path, text] = [quote(table), quote(pathColumn), quote(textColumn)];
  const bytes = `CAST(CAST(${path} AS TEXT) AS BLOB)`;
  const exact = `${path} = ?1 AND ${bytes} = CAST(?1 AS BLOB)`;
  const size = `length(CAST(CAST(${text} AS TEXT) AS BLOB))`;
  return {
    select: `SELECT CAST(CAST(${text} AS TEXT) AS BLOB) AS text FROM ${from} WHERE ${exact} AND ${text} IS NOT NULL`,
    page:
      `SELECT ${bytes} AS path, ${size} AS bytes FROM ${from} WHERE ${text} IS NOT NULL ` +
      `AND ${bytes} > ?1 AND substr(${bytes}, 1, length(CAST(?2 AS BLOB))) = CAST(?2 AS BLOB) ` +
      `ORDER BY ${bytes} LIMIT ?3`,
    insert: `INSERT INTO ${from} (${path}, ${text}) VALUES (?1, ?2)`,
    update: `UPDATE ${from} SET ${text} = ?2 WHERE ${exact}`,
    remove: `DELETE FROM ${from} WHERE ${exact}`,
  };
}

export function createTable(database: Database.Database, { table, pathColumn, textColumn }: TableNames): void {
  const columns = `${quote(pathColumn)} TEXT NOT NULL PRIMARY KEY, ${quote(textColumn)} TEXT NOT NULL`;
  database.exec(`CREATE TABLE IF NOT EXISTS ${quote(table)} (${columns})`);
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function missing(what: string, hint: string): IkigaiError {
  return new IkigaiError("not_found", `The database has no ${what}`, { hint });
}
