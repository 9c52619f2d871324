import { recalledParts } from "../entry/recalled-text.ts";
import type { PreparedRow } from "./insert-rows.ts";
import { arrayOf, type Sql } from "./sql-client.ts";

/** The texts that are put together from recalled entries, by their place in `rows`, with the last of those entries. */
export async function findKnown(
  sql: Sql,
  owner: string,
  rows: readonly PreparedRow[],
): Promise<ReadonlyMap<number, string>> {
  const ways = rows.map(({ text }) => recalledParts(text.content));
  const hashes = new Set(ways.flat(2));
  const known = new Map<number, string>();
  if (hashes.size === 0) return known;
  const own = new Set(rows.map(({ prepared }) => prepared.hash));
  const { rows: found } = await sql.query<{ hash: string; id: string }>(
    `select hash, id::text as id from recall_entry
     where owner = $1::text and hash = any ($2::text::text[]) and live and kind = 'entry'`,
    [owner, arrayOf([...hashes, ...own])],
  );
  const ids = new Map(found.map(({ hash, id }) => [hash, id]));
  for (const [i, lists] of ways.entries()) {
    if (ids.has((rows[i] as PreparedRow).prepared.hash)) continue;
    const whole = lists.find((list) => list.every((hash) => ids.has(hash)));
    if (whole !== undefined) known.set(i, ids.get(whole.at(-1) as string) as string);
  }
  return known;
}
