import type { Sql } from "@ikigai/database";
import { type AuditQuery, type AuditRow, type AuditSink, parseRow, readLines, storableRow } from "@ikigai/memory";
import { isRefusal, keepRefused } from "../waiting/refused-rows.ts";
import { removeSettled, setAside } from "../waiting/set-aside.ts";

const INSERT = `insert into audit (id, at, phase, call_id, agent, conversation, tool, operation, outcome, details)
  select id, at, phase, call_id, agent, conversation, tool, operation, outcome, details
  from json_to_recordset($1::json) as r(id uuid, at timestamptz, phase text, call_id text, agent text,
    conversation text, tool text, operation text, outcome text, details text)
  on conflict (id) do nothing`;

/** Rows go into the store. */
export function databaseSink(sql: Sql): AuditSink {
  return async (row) => void (await sql.query(INSERT, [JSON.stringify([row])]));
}

/** Rows, and characters of their JSON, that go to the store with one statement. */
const BATCH_ROWS = 200;
const BATCH_CHARS = 1_000_000;

export interface TakeInOptions {
  /** Told of each row that the store refuses, once it is set aside. Must not throw. */
  readonly onRefused?: (error: unknown) => void;
}

/**
 * Takes the rows of a spool file into the store.
 *
 * Contract: each row once, also when several processes try or one ends halfway; a torn line is dropped. Rows go in by
 * batches, made storable where an earlier version wrote them otherwise; one that the store still refuses is set aside (see
 * {@link readRefused}) and keeps none of the others from going in. Gives the number of rows read. A file that was set aside
 * stays for a minute, in case somebody was still writing to it.
 */
export async function takeInSpool(sql: Sql, path: string, options: TakeInOptions = {}): Promise<number> {
  let count = 0;
  for (const file of await setAside(path)) {
    for await (const batch of batchesOf(file)) {
      await takeInBatch(sql, path, batch, options);
      count += batch.length;
    }
    await removeSettled(file);
  }
  return count;
}

async function* batchesOf(file: string): AsyncGenerator<readonly AuditRow[]> {
  let batch: AuditRow[] = [];
  let chars = 0;
  for await (const line of readLines(file)) {
    const row = parseRow(line);
    if (row === undefined) continue;
    const storable = storableRow(row as AuditRow);
    batch.push(storable);
    chars += storable.details.length;
    if (batch.length < BATCH_ROWS && chars < BATCH_CHARS) continue;
    yield batch;
    batch = [];
    chars = 0;
  }
  if (batch.length > 0) yield batch;
}

async function takeInBatch(
  sql: Sql,
  path: string,
  rows: readonly AuditRow[],
  { onRefused }: TakeInOptions,
): Promise<void> {
  try {
    await sql.query(INSERT, [JSON.stringify(rows)]);
    return;
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  for (const row of rows) {
    try {
      await sql.query(INSERT, [JSON.stringify([row])]);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await keepRefused(path, row, error);
      onRefused?.(error);
    }
  }
}

/** Rows, newest first. */
export async function readAudit(sql: Sql, query: AuditQuery = {}): Promise<readonly AuditRow[]> {
  const { callId, tool, denied = false, limit = 100 } = query;
  const { rows } = await sql.query<Omit<AuditRow, "at"> & { at: Date }>(
    `select * from audit where ($1::text is null or call_id = $1) and ($2::text is null or tool = $2)
       and (not $3 or outcome = 'permission_denied') order by at desc, phase desc limit $4`,
    [callId ?? null, tool ?? null, denied, limit],
  );
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
}
