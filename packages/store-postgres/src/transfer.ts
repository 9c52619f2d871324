import { createHash } from "node:crypto";
import { IkigaiError } from "@ikigai/core";
import type { Database, Sql } from "@ikigai/database";
import { NAME_WHAT_WAS_UNDONE } from "./migrations.ts";

/** A table whose rows are moved between stores. */
export interface TransferTable {
  readonly name: string;
  /** The column whose numbers the table gives out itself. */
  readonly identity?: string;
  /** The sequence that numbers a column from outside the table. */
  readonly sequence?: { readonly name: string; readonly column: string };
  /** Whether its rows only tell what was done: an import keeps those that are there. Default false. */
  readonly log?: boolean;
  /** A statement that makes rows of older exports as those of today are. */
  readonly renew?: string;
}

/** The tables of this package, parents before children. */
export const storeTables: readonly TransferTable[] = [
  { name: "budget" },
  { name: "pin" },
  { name: "journal_chunk" },
  { name: "journal", identity: "id", renew: NAME_WHAT_WAS_UNDONE },
  { name: "journal_pruned" },
  { name: "audit", log: true },
  { name: "block" },
  { name: "block_bytes" },
  { name: "block_history" },
  { name: "block_share" },
  { name: "block_view" },
  { name: "conversation" },
  { name: "message" },
  { name: "conversation_mark" },
  { name: "manifest" },
  { name: "stream_cursor" },
];

const FORMAT = 1;
const PAGE = 200;

interface Header {
  readonly ikigai_export: number;
}

interface Footer {
  readonly rows: number;
  readonly sha256: string;
}

/**
 * Writes every row of `tables` as lines of JSON, as of one moment.
 *
 * Contract: `write` gets whole lines without their end, and is awaited. The last line counts the rows, so that a cut
 * file is known. Gives the number of rows.
 */
export async function exportStore(
  database: Database,
  tables: readonly TransferTable[],
  write: (line: string) => Promise<void> | void,
): Promise<number> {
  return database.transaction(
    async (tx) => {
      let rows = 0;
      const hash = createHash("sha256");
      const put = async (line: string): Promise<void> => {
        hash.update(`${line}\n`);
        await write(line);
      };
      await put(JSON.stringify({ ikigai_export: FORMAT } satisfies Header));
      for (const { name } of tables) {
        await tx.query(`declare exported no scroll cursor for select row_to_json(t)::text as row from ${name} t`);
        for (;;) {
          const page = await tx.query<{ row: string }>(`fetch ${PAGE} from exported`);
          for (const { row } of page.rows) await put(`{"table":"${name}","row":${row}}`);
          rows += page.count;
          if (page.count < PAGE) break;
        }
        await tx.query("close exported");
      }
      await write(JSON.stringify({ rows, sha256: hash.digest("hex") } satisfies Footer));
      return rows;
    },
    { isolation: "repeatable read", attempts: 1 },
  );
}

/**
 * Reads what {@link exportStore} wrote into a store that has nothing yet.
 *
 * Contract: all or nothing. `conflict` when a table has rows, unless it is a log, which keeps them; `invalid_input` for lines that are cut, changed or of
 * another format, naming the line. Gives the number of rows.
 */
export async function importStore(
  database: Database,
  tables: readonly TransferTable[],
  lines: AsyncIterable<string>,
): Promise<number> {
  return database.transaction(
    async (tx) => {
      for (const { name, log } of tables) if (log !== true) await assertEmpty(tx, name);
      const byName = new Map(tables.map((table) => [table.name, table]));
      const hash = createHash("sha256");
      let number = 0;
      let rows = 0;
      let footer: Footer | undefined;
      for await (const line of lines) {
        if (line === "") continue;
        number += 1;
        if (footer !== undefined) throw badLine(number, "it follows the last one");
        const parsed = parseLine(line, number);
        if (number === 1) assertHeader(parsed);
        else if (typeof parsed["table"] === "string") {
          const name = parsed["table"];
          const table = byName.get(name);
          if (table === undefined) throw badLine(number, `there is no table "${name}"`);
          await insertRow(tx, table, rowText(line, name), number);
          rows += 1;
        } else footer = parsed as unknown as Footer;
        if (footer === undefined) hash.update(`${line}\n`);
      }
      if (footer === undefined) throw badLine(number, "the last line is missing, so the file was cut");
      if (footer.rows !== rows || footer.sha256 !== hash.digest("hex"))
        throw badLine(number, "rows were lost or changed");
      for (const { name, identity, sequence, renew } of tables) {
        if (identity !== undefined) await continueNumbers(tx, name, identity);
        if (sequence !== undefined) await continueSequence(tx, name, sequence);
        if (renew !== undefined) await tx.query(renew);
      }
      return rows;
    },
    { attempts: 1 },
  );
}

/** The row's own text goes to the database as it is: numbers keep every digit. */
function rowText(line: string, name: string): string {
  return line.slice(`{"table":"${name}","row":`.length, -1);
}

async function insertRow(tx: Sql, { name, log }: TransferTable, row: string, number: number): Promise<void> {
  const known = log === true ? "on conflict do nothing" : "";
  try {
    await tx.query(`insert into ${name} select * from json_populate_record(null::${name}, $1::json) ${known}`, [row]);
  } catch (error) {
    if (IkigaiError.is(error, "unavailable") || IkigaiError.is(error, "timeout")) throw error;
    throw badLine(number, "the table does not take the row", error);
  }
}

async function assertEmpty(tx: Sql, name: string): Promise<void> {
  const { count } = await tx.query(`select from ${name} limit 1`);
  if (count === 0) return;
  throw new IkigaiError("conflict", `The store already has rows in "${name}"`, { hint: "Import into a new store." });
}

async function continueNumbers(tx: Sql, name: string, column: string): Promise<void> {
  await tx.query(
    `select setval(pg_get_serial_sequence($1, $2), coalesce((select max(${column}) from ${name}), 0) + 1, false)`,
    [name, column],
  );
}

async function continueSequence(
  tx: Sql,
  name: string,
  sequence: NonNullable<TransferTable["sequence"]>,
): Promise<void> {
  const { name: counter, column } = sequence;
  await tx.query(`select setval($1, coalesce((select max(${column}) from ${name}), 0) + 1, false)`, [counter]);
}

function parseLine(line: string, number: number): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch (error) {
    throw badLine(number, "it is not JSON", error);
  }
}

function assertHeader(header: Record<string, unknown>): void {
  if (header["ikigai_export"] === FORMAT) return;
  throw badLine(1, `it is no export of format ${FORMAT}`);
}

function badLine(number: number, reason: string, cause?: unknown): IkigaiError {
  return new IkigaiError("invalid_input", `Line ${number} cannot be imported: ${reason}`, {
    hint: "Export the store again.",
    ...(cause !== undefined && { cause }),
  });
}
