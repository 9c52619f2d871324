import type { MirroredText, NewEntry } from "../contract.ts";
import { labelOf } from "../entry/label.ts";
import type { PreparedEntry } from "../entry/prepare-entry.ts";
import { termKey } from "../text/term-key.ts";
import { arrayOf, type Sql } from "./sql-client.ts";

/** A text on its way into the tables. */
export interface PreparedRow {
  readonly text: NewEntry | MirroredText;
  readonly prepared: PreparedEntry;
}

/** Counters are spread, so that writers of several processes do not wait for each other. */
export const SLOTS = 16;

const INSERT = `
with input as materialized (
  select nextval('recall_entry_id') as id, j.* from jsonb_to_recordset($2::text::jsonb) as j(
    n int, kind text, content text, hash text, label text, metadata jsonb, provenance jsonb, thread text, ord float8,
    occurred_at timestamptz, supersedes bigint, address text, speaker jsonb, asks boolean, tells_time boolean, dates jsonb)
  where not exists (select 1 from recall_entry e
      where e.owner = $1::text and e.hash = any ($8::text::text[]) and e.live and e.kind = 'entry')
    and not exists (select 1 from recall_entry e
      where e.owner = $1::text and e.hash = any ($8::text::text[]) and e.superseded_by is not null and e.erased_at is null)
), stored as (
  insert into recall_entry (id, owner, kind, content, hash, label, metadata, provenance, thread, ord, sort, occurred_at,
    created_at, at, supersedes, address, analyser, speaker, asks, tells_time, dates)
  select id, $1::text, kind, content, hash, label, metadata, provenance, thread, ord, coalesce(ord, id), occurred_at,
    $3::text::timestamptz, coalesce(occurred_at, $3::text::timestamptz), supersedes, address, $4::text,
    array(select jsonb_array_elements_text(speaker)), asks, tells_time,
    array(select value::int from jsonb_array_elements_text(dates))
  from input order by n
  on conflict do nothing
  returning id, kind
), posted as (
  insert into recall_posting (key, entry, impact)
  select p.key, stored.id, p.impact
  from unnest($5::text::int[], $6::text::bigint[], $7::text::smallint[]) as p(n, key, impact)
  join input using (n) join stored on stored.id = input.id
  on conflict do nothing
), counted as (
  insert into recall_count as c (owner, kind, slot, entries)
  select $1::text, kind, pg_backend_pid() % ${SLOTS}, count(*) from stored group by kind
  on conflict (owner, kind, slot) do update set entries = c.entries + excluded.entries
)
select input.n, input.id::text as id from input join stored using (id)`;

/**
 * Stores texts with their postings in one statement.
 *
 * Contract: gives the ids of those that were stored, by their place in `rows`; one whose content is there already is
 * left out, decided by the unique index. None is stored when an entry, live or corrected, has one of the contents `unless`.
 */
export async function insertRows(
  sql: Sql,
  owner: string,
  rows: readonly PreparedRow[],
  analyser: string,
  now: Date,
  unless: readonly string[] = [],
): Promise<ReadonlyMap<number, string>> {
  const postings = rows.flatMap(({ text, prepared }, n) => {
    const kind = "kind" in text ? text.kind : "entry";
    return [...prepared.postings].map(([term, impact]) => ({ n, key: termKey(owner, kind, term), impact }));
  });
  const { rows: stored } = await sql.query<{ n: number; id: string }>(INSERT, [
    owner,
    JSON.stringify(rows.map(toJson)),
    now.toISOString(),
    analyser,
    arrayOf(postings.map(({ n }) => n)),
    arrayOf(postings.map(({ key }) => key)),
    arrayOf(postings.map(({ impact }) => impact)),
    arrayOf(new Set(unless)),
  ]);
  return new Map(stored.map(({ n, id }) => [n, id]));
}

function toJson({ text, prepared }: PreparedRow, n: number): Record<string, unknown> {
  const mirrored = "kind" in text ? text : undefined;
  return {
    n,
    kind: mirrored?.kind ?? "entry",
    content: text.content,
    hash: prepared.hash,
    label: mirrored === undefined ? labelOf(text.content) : (mirrored.label ?? mirrored.address),
    metadata: text.metadata ?? {},
    provenance: { ...text.provenance, ...(mirrored?.version !== undefined && { version: mirrored.version }) },
    thread: text.thread,
    ord: text.order,
    occurred_at: text.occurredAt?.toISOString(),
    supersedes: mirrored === undefined ? (text as NewEntry).supersedes : undefined,
    address: mirrored?.address,
    speaker: prepared.speaker,
    asks: prepared.asks,
    tells_time: prepared.tellsTime,
    dates: prepared.dates.flatMap(({ from, to }) => [from, to]),
  };
}
