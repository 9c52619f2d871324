import { termKey } from "../text/term-key.ts";
import { analyserOf } from "../text/analyse.ts";
import { postingsOf } from "../entry/prepare-entry.ts";
import { SLOTS } from "./insert-rows.ts";
import type { EntryRow } from "./rows.ts";
import { arrayOf, type Sql } from "./sql-client.ts";

/** Takes a live entry out of the indexes and the count; its row is the caller's. */
export async function dropPostings(sql: Sql, owner: string, row: EntryRow): Promise<void> {
  await sql.query(
    `with gone as (delete from recall_posting where entry = $1::text::bigint and key = any ($2::text::bigint[])),
     vectors as (delete from recall_vector where entry = $1::text::bigint)
     insert into recall_count as c (owner, kind, slot, entries)
     values ($3::text, $4::text, pg_backend_pid() % ${SLOTS}, -1)
     on conflict (owner, kind, slot) do update set entries = c.entries - 1`,
    [row.id, arrayOf(keysOf(owner, row)), owner, row.kind],
  );
}

/** The keys under which an entry stands in the index, worked out again as they were when it was stored. */
export function keysOf(owner: string, { content, metadata, kind, analyser }: EntryRow): readonly string[] {
  const { postings } = postingsOf(content, metadata, analyserOf(analyser));
  return [...postings.keys()].map((term) => termKey(owner, kind, term));
}
