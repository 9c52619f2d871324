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

const INSERT = `select n, id from recall_insert($1::text, $2::text::jsonb, $3::text::timestamptz, $4::text, $5::text::int[],
  $6::text::bigint[], $7::text::smallint[], $8::text::text[], pg_backend_pid() % ${SLOTS})`;

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
