import { createHash } from "node:crypto";
import { appendFile, stat } from "node:fs/promises";
import { messageOf } from "@ikigai/core";
import { databaseCause, sqlState } from "@ikigai/database";
import { parseRow, readLines, type RefusedRows } from "@ikigai/memory";

/** A row and why it was refused, as a line of that file. */
interface Refusal {
  readonly key: string;
  readonly reason: string;
  readonly row: object;
}

/** Bytes that the file may have: rows beyond them are only counted by whoever was told. */
const MAX_BYTES = 16 * 1024 * 1024;

export function refusedFile(path: string): string {
  return `${path}.refused`;
}

/** What PostgreSQL says of a value: it is none of its type, breaks a constraint, or is larger than an index takes. */
const OF_THE_VALUE = /^(?:22|23|54)/;

/** Whether an error says that this row can never be stored, rather than that the store cannot be used now. */
export function isRefusal(error: unknown): boolean {
  return OF_THE_VALUE.test(sqlState(databaseCause(error)) ?? "");
}

/** Sets a row aside that its store refused. Contract: once, however often it is tried. */
export async function keepRefused(path: string, row: object, error: unknown): Promise<void> {
  const file = refusedFile(path);
  const key = createHash("sha256").update(JSON.stringify(row)).digest("hex");
  for await (const known of refusals(file)) if (known.key === key) return;
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  const line = `${JSON.stringify({ key, reason: messageOf(error), row } satisfies Refusal)}\n`;
  if (size + line.length <= MAX_BYTES) await appendFile(file, line, { mode: 0o600 });
}

/** What was set aside beside a file. Contract: `undefined` when nothing was. */
export async function readRefused(path: string): Promise<RefusedRows | undefined> {
  const file = refusedFile(path);
  let rows = 0;
  let reason = "";
  for await (const refusal of refusals(file)) {
    if (rows === 0) reason = refusal.reason;
    rows += 1;
  }
  return rows === 0 ? undefined : { file, rows, reason };
}

async function* refusals(file: string): AsyncGenerator<Refusal> {
  for await (const line of readLines(file)) {
    const row = parseRow(line);
    if (row !== undefined) yield row as Refusal;
  }
}
