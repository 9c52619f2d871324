import type { Inserted } from "../contract.ts";
import { isPlain, sameContent } from "../entry/identity.ts";
import { findKnown, hashesOf, liveByHash, sameAs } from "./find-known.ts";
import { insertRows, type PreparedRow } from "./insert-rows.ts";
import type { Sql } from "./sql-client.ts";

/** Whose entries they are, which analyser made their terms, and when they are stored. */
export interface InsertFacts {
  readonly owner: string;
  readonly analyserId: string;
  readonly now: Date;
}

/**
 * Most texts are new, which one statement finds out and stores. Else what is known is told first. A content that was
 * there and vanished before its id was read was superseded meanwhile: then it is new after all.
 */
export async function insertNew(
  sql: Sql,
  rows: readonly PreparedRow[],
  { owner, analyserId, now }: InsertFacts,
): Promise<Inserted[]> {
  const results = new Map<number, Inserted>();
  const repeated = repeatsOf(rows);
  const waiting = (): readonly Open[] => open(rows, results).filter(({ i }) => !repeated.has(i));
  const store = async (left: readonly Open[], unless?: readonly string[]): Promise<void> => {
    if (left.length === 0) return;
    const given = left.map(({ row }) => row);
    const stored = await insertRows(sql, owner, given, analyserId, now, unless);
    for (const [n, id] of stored) results.set((left[n] as Open).i, { id, stored: true });
  };
  await store(waiting(), rows.flatMap(hashesOf));
  if (results.size === 0) {
    for (const [i, known] of await findKnown(sql, owner, rows)) results.set(i, known);
    for (const [i, first] of repeated) if (results.has(i) || results.has(first)) repeated.delete(i);
    await store(waiting());
  }
  for (let missing = waiting(); missing.length > 0; missing = waiting()) {
    const live = await liveByHash(
      sql,
      owner,
      missing.map(({ row }) => row.prepared.hash),
    );
    for (const { row, i } of missing) {
      const same = sameAs(row, live);
      if (same !== undefined) results.set(i, same);
    }
    await store(waiting());
  }
  for (const [i, first] of repeated) {
    const kept = (rows[first] as PreparedRow).text.metadata ?? {};
    results.set(i, sameContent((results.get(first) as Inserted).id, (rows[i] as PreparedRow).text.metadata, kept));
  }
  return rows.map((_, i) => results.get(i) as Inserted);
}

interface Open {
  readonly row: PreparedRow;
  readonly i: number;
}

/** The rows without a result, with their places. */
function open(rows: readonly PreparedRow[], results: ReadonlyMap<number, Inserted>): readonly Open[] {
  return rows.map((row, i) => ({ row, i })).filter(({ i }) => !results.has(i));
}

/** Texts that an earlier one of the same call says already, without place and time of their own, with that one. */
function repeatsOf(rows: readonly PreparedRow[]): Map<number, number> {
  const first = new Map<string, number>();
  const repeats = new Map<number, number>();
  for (const [i, { text, prepared }] of rows.entries()) {
    const before = first.get(prepared.hash);
    if (before === undefined) first.set(prepared.hash, i);
    else if (isPlain(text)) repeats.set(i, before);
  }
  return repeats;
}
