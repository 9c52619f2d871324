import type { Inserted, Metadata, NewEntry } from "../contract.ts";
import { identityOf, isPlain, sameContent } from "../entry/identity.ts";
import { recalledParts } from "../entry/recalled-text.ts";
import type { PreparedRow } from "./insert-rows.ts";
import { ms } from "./rows.ts";
import { arrayOf, type Sql } from "./sql-client.ts";

/** An entry that has some content. */
interface Same {
  readonly hash: string;
  readonly id: string;
  readonly thread: string | null;
  readonly ord: number | null;
  readonly occurred_at: number | null;
  readonly metadata: Metadata;
}

const COLUMNS = `e.hash, e.id::text as id, e.thread, e.ord, ${ms("e.occurred_at")} as occurred_at, e.metadata`;

/** Contents by which a text could be known: its own, and those that it may be put together from. */
export function hashesOf({ text, prepared }: PreparedRow): readonly string[] {
  return [prepared.hash, ...recalledParts(text.content, prepared.hash).flat()];
}

/** What is known of these texts before any is stored, by their place in `rows`; copies and news are left out. */
export async function findKnown(
  sql: Sql,
  owner: string,
  rows: readonly PreparedRow[],
): Promise<ReadonlyMap<number, Inserted>> {
  const ways = rows.map(({ text, prepared }) => recalledParts(text.content, prepared.hash));
  const live = await liveByHash(sql, owner, [...ways.flat(2), ...rows.map(({ prepared }) => prepared.hash)]);
  const known = new Map<number, Inserted>();
  for (const [i, row] of rows.entries()) {
    const same = sameAs(row, live);
    const whole = ways[i]?.find((list) => list.every((hash) => live.has(hash)));
    const last = live.get(whole?.at(-1) ?? "")?.[0];
    if (same !== undefined) known.set(i, same);
    else if (last !== undefined) known.set(i, { id: last.id, stored: false, recognised: "recalled_text" });
  }
  const fresh = rows.flatMap((row, i) =>
    known.has(i) || (row.text as NewEntry).supersedes !== undefined ? [] : [{ row, i }],
  );
  const old = await correctedByHash(
    sql,
    owner,
    fresh.map(({ row }) => row.prepared.hash),
  );
  for (const { row, i } of fresh) {
    const found = old.get(row.prepared.hash)?.findLast((one) => fits(row, one));
    if (found === undefined) continue;
    known.set(i, { id: found.id, stored: false, recognised: "superseded", supersededBy: found.last });
  }
  return known;
}

/** The live entries with these contents, oldest first. */
export async function liveByHash(
  sql: Sql,
  owner: string,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, readonly Same[]>> {
  if (hashes.length === 0) return new Map();
  const { rows } = await sql.query<Same>(
    `select ${COLUMNS} from recall_entry e
     where e.owner = $1::text and e.hash = any ($2::text::text[]) and e.live and e.kind = 'entry' order by e.id`,
    [owner, arrayOf(new Set(hashes))],
  );
  return group(rows);
}

/** What is said of a text whose content, place and time a live entry has. */
export function sameAs(row: PreparedRow, live: ReadonlyMap<string, readonly Same[]>): Inserted | undefined {
  const same = live.get(row.prepared.hash)?.find((one) => fits(row, one));
  return same && sameContent(same.id, row.text.metadata, same.metadata);
}

/** Entries with these contents that were corrected, and the live entry at the end of their corrections. */
async function correctedByHash(
  sql: Sql,
  owner: string,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, readonly (Same & { readonly last: string })[]>> {
  if (hashes.length === 0) return new Map();
  const { rows } = await sql.query<Same & { last: string }>(
    `with recursive old as (
       select ${COLUMNS}, e.id as first, e.superseded_by from recall_entry e
       where e.owner = $1::text and e.hash = any ($2::text::text[]) and e.superseded_by is not null
         and e.erased_at is null and e.kind = 'entry'
     ), chain(first, at) as (
       select first, superseded_by from old
       union select chain.first, e.superseded_by from chain join recall_entry e on e.id = chain.at
       where e.superseded_by is not null
     )
     select old.hash, old.id, old.thread, old.ord, old.occurred_at, old.metadata, e.id::text as last
     from old join chain using (first) join recall_entry e on e.id = chain.at and e.live order by old.first`,
    [owner, arrayOf(new Set(hashes))],
  );
  return group(rows);
}

function fits({ text, prepared: { hash } }: PreparedRow, { thread, ord, occurred_at: at }: Same): boolean {
  if (isPlain(text)) return true;
  const place = {
    ...(thread !== null && { thread }),
    ...(ord !== null && { order: ord }),
    ...(at !== null && { occurredAt: new Date(at) }),
  };
  return identityOf(hash, text) === identityOf(hash, place);
}

function group<T extends Same>(rows: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) groups.set(row.hash, [...(groups.get(row.hash) ?? []), row]);
  return groups;
}
