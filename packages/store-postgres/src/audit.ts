import type { Sql } from "@ikigai/database";
import { type AuditRow, type AuditSink, readAuditFile } from "@ikigai/memory";
import { removeSettled, setAside } from "./set-aside.ts";

const INSERT = `insert into audit (id, at, phase, call_id, agent, conversation, tool, operation, outcome, details)
  select id, at, phase, call_id, agent, conversation, tool, operation, outcome, details
  from json_to_recordset($1::json) as r(id uuid, at timestamptz, phase text, call_id text, agent text,
    conversation text, tool text, operation text, outcome text, details text)
  on conflict (id) do nothing`;

/** Rows go into the store. */
export function databaseSink(sql: Sql): AuditSink {
  return async (row) => void (await sql.query(INSERT, [JSON.stringify([row])]));
}

/**
 * Takes the rows of a spool file into the store.
 *
 * Contract: each row once, also when several processes try or one ends halfway; a torn line is dropped. Gives the
 * number of rows read. A file that was set aside stays for a minute, in case somebody was still writing to it.
 */
export async function takeInSpool(sql: Sql, path: string): Promise<number> {
  let count = 0;
  for (const file of await setAside(path)) {
    const rows = await readAuditFile(file);
    if (rows.length > 0) await sql.query(INSERT, [JSON.stringify(rows)]);
    await removeSettled(file);
    count += rows.length;
  }
  return count;
}

export interface AuditQuery {
  readonly callId?: string;
  readonly tool?: string;
  /** Only calls that were refused. Default false. */
  readonly denied?: boolean;
  /** Default 100. */
  readonly limit?: number;
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
