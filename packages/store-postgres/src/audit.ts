import { randomUUID } from "node:crypto";
import { appendFile, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Audit, CallIntent, CallOutcome } from "@ikigai/core";
import type { Sql } from "@ikigai/database";
import { redact } from "./redact.ts";

/** A call's beginning or end, ready to be stored. Plain JSON. */
export interface AuditRow {
  readonly id: string;
  readonly at: string;
  readonly phase: "intent" | "outcome";
  readonly call_id: string;
  readonly agent: string;
  readonly conversation: string;
  readonly tool: string;
  readonly operation: string | null;
  readonly outcome: string | null;
  /** JSON: the redacted input, the verdicts, the error. */
  readonly details: string;
}

/** Where rows go. */
export type AuditSink = (row: AuditRow) => Promise<void>;

export interface AuditOptions {
  /** Takes secrets out of a call's input. Default: by names and by the shape of well-known ones. */
  readonly redact?: (input: unknown) => unknown;
  /** Default: the machine's. */
  readonly clock?: () => Date;
}

/** Writes calls down before they run and after they ended. */
export function createAudit(sink: AuditSink, options: AuditOptions = {}): Audit {
  const { redact: hide = redact, clock = () => new Date() } = options;
  const row = (phase: AuditRow["phase"], call: CallIntent | CallOutcome, details: object): AuditRow => ({
    id: randomUUID(),
    at: clock().toISOString(),
    phase,
    call_id: call.callId,
    agent: call.agent,
    conversation: call.conversation,
    tool: call.tool,
    operation: call.operation ?? null,
    outcome: "outcome" in call ? call.outcome : null,
    details: JSON.stringify(hide({ ...details, verdicts: call.verdicts })),
  });
  return {
    intent: (call) => sink(row("intent", call, { input: call.input, approvedBy: call.approvedBy })),
    outcome: (call) => sink(row("outcome", call, { error: call.error })),
  };
}

const INSERT = `insert into audit (id, at, phase, call_id, agent, conversation, tool, operation, outcome, details)
  select id, at, phase, call_id, agent, conversation, tool, operation, outcome, details
  from json_to_recordset($1::json) as r(id uuid, at timestamptz, phase text, call_id text, agent text,
    conversation text, tool text, operation text, outcome text, details text)
  on conflict (id) do nothing`;

/** Rows go into the store. */
export function databaseSink(sql: Sql): AuditSink {
  return async (row) => void (await sql.query(INSERT, [JSON.stringify([row])]));
}

/** Rows go to the end of a file, for a command that needs no store. */
export function fileSink(path: string): AuditSink {
  return (row) => appendFile(path, `${JSON.stringify(row)}\n`, { mode: 0o600 });
}

/** A writer that opened the spool before it was set aside has finished by then. */
const SETTLED_MS = 60_000;

/**
 * Takes the rows of a spool file into the store.
 *
 * Contract: each row once, also when several processes try or one ends halfway; a torn line is dropped. Gives the
 * number of rows read. A file that was set aside stays for a minute, in case somebody was still writing to it.
 */
export async function takeInSpool(sql: Sql, path: string): Promise<number> {
  try {
    await rename(path, `${path}.${randomUUID()}.taken`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  let count = 0;
  for (const name of await readdir(dirname(path)).catch(() => [])) {
    if (name.startsWith(`${basename(path)}.`) && name.endsWith(".taken")) {
      count += await takeIn(sql, join(dirname(path), name));
    }
  }
  return count;
}

async function takeIn(sql: Sql, file: string): Promise<number> {
  const rows = (await readFile(file, "utf8").catch(() => "")).split("\n").flatMap(readRow);
  if (rows.length > 0) await sql.query(INSERT, [JSON.stringify(rows)]);
  const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: 0 }));
  if (Date.now() - mtimeMs > SETTLED_MS) await rm(file, { force: true });
  return rows.length;
}

function readRow(line: string): AuditRow[] {
  try {
    return [JSON.parse(line) as AuditRow];
  } catch {
    return [];
  }
}

export interface AuditQuery {
  readonly callId?: string;
  /** Default 100. */
  readonly limit?: number;
}

/** Rows, newest first. */
export async function readAudit(sql: Sql, { callId, limit = 100 }: AuditQuery = {}): Promise<readonly AuditRow[]> {
  const { rows } = await sql.query<Omit<AuditRow, "at"> & { at: Date }>(
    "select * from audit where $1::text is null or call_id = $1 order by at desc, phase desc limit $2",
    [callId ?? null, limit],
  );
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
}
