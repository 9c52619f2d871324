import { randomBytes } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";
import type { JournalRecord, PrunedHistory } from "./journal.ts";
import { appendRow, readRows } from "../line-files/line-file.ts";

/** What went of one text, as a row of the file that counts it. */
interface PrunedRow {
  readonly owner: string;
  readonly uri: string;
  readonly count: number;
  readonly lastId: string;
  readonly until: string;
}

/** Bytes after which the rows of each text are put together, and texts that are still counted then: the latest. */
const MAX_BYTES = 1024 * 1024;
const MAX_TEXTS = 4_000;

/** Counts entries that go, by text, so that nobody takes the rest of a history for all of it. */
export async function countPruned(path: string, records: readonly JournalRecord[]): Promise<void> {
  const gone = merge(
    records
      .filter(({ state }) => state !== "failed")
      .map(({ owner, uri, id, at }) => ({ owner, uri, count: 1, lastId: id, until: at.toISOString() })),
  );
  const file = prunedFile(path);
  let size = 0;
  for (const row of gone) size = await appendRow(file, row);
  if (size > MAX_BYTES) await shorten(file);
}

/** What went of one text. Contract: `undefined` when nothing did. */
export async function readPruned(path: string, uri: string, owner: string): Promise<PrunedHistory | undefined> {
  const rows = (await readRows(prunedFile(path))) as PrunedRow[];
  const [row] = merge(rows.filter((one) => one.uri === uri && one.owner === owner));
  return row && { count: row.count, lastId: row.lastId, until: new Date(row.until) };
}

const prunedFile = (path: string): string => `${path}.pruned`;

async function shorten(file: string): Promise<void> {
  const rows = merge((await readRows(file)) as PrunedRow[]);
  const latest = rows.toSorted((a, b) => (a.until < b.until ? 1 : -1)).slice(0, MAX_TEXTS);
  const part = `${file}.${randomBytes(5).toString("hex")}`;
  await writeFile(part, latest.map((row) => `${JSON.stringify(row)}\n`).join(""), { mode: 0o600 });
  await rename(part, file);
}

/** One row for each text, in the order of their first ones. */
function merge(rows: readonly PrunedRow[]): PrunedRow[] {
  const merged = new Map<string, PrunedRow>();
  for (const row of rows) {
    const key = JSON.stringify([row.owner, row.uri]);
    const known = merged.get(key);
    const latest = known === undefined || row.until >= known.until ? row : known;
    merged.set(key, { ...latest, count: row.count + (known?.count ?? 0) });
  }
  return [...merged.values()];
}
