import type { Database, Sql } from "@ikigai/database";
import { fromDelta, needsBase, type StoredManifest, toDelta } from "./manifest-delta.ts";

/** What one request of a conversation was made of. */
export interface RecordedManifest<Manifest> {
  /** Which request of the conversation, from 1. */
  readonly request: number;
  /** Which turn it belongs to, from 1. After going back to a mark the same one comes again. */
  readonly turn: number;
  /** ISO 8601. */
  readonly at: string;
  readonly manifest: Manifest;
}

/** Which one: that request, the last request of that turn, or else the last of all. */
export interface ManifestQuery {
  readonly request?: number;
  readonly turn?: number;
}

interface ManifestRow {
  readonly request: string;
  readonly turn: string;
  readonly at: Date;
  readonly data: string;
  readonly base: string | null;
}

/** Contract: the conversation is locked by `tx`. Only what the base does not have is written. */
export async function addManifest(
  tx: Sql,
  conversation: string,
  manifest: StoredManifest,
  { turn, at }: { readonly turn: number; readonly at: Date },
): Promise<void> {
  const { rows } = await tx.query<{ request: string; data: string; spent: number }>(
    `select b.request, b.data, (select coalesce(sum(length(d.data)), 0)::int from manifest d
       where d.conversation = b.conversation and d.request > b.request) as spent
     from manifest b where b.conversation = $1 and b.base is null order by b.request desc limit 1`,
    [conversation],
  );
  const [base] = rows;
  const delta = base && toDelta(JSON.parse(base.data) as StoredManifest, manifest);
  const values =
    base === undefined || delta === undefined || needsBase(base.data.length, base.spent, delta)
      ? [null, JSON.stringify(manifest)]
      : [base.request, delta];
  await tx.query(
    `insert into manifest (conversation, request, turn, at, base, data)
     select $1, coalesce(max(request), 0) + 1, $2, $3, $4, $5 from manifest where conversation = $1`,
    [conversation, turn, at, ...values],
  );
}

/** Contract: `undefined` when there is no such request. */
export async function findManifest<M extends StoredManifest>(
  database: Database,
  conversation: string,
  { request, turn }: ManifestQuery,
): Promise<RecordedManifest<M> | undefined> {
  const { rows } = await database.query<ManifestRow>(
    `select m.request, m.turn, m.at, m.data, b.data as base
     from manifest m left join manifest b on b.conversation = m.conversation and b.request = m.base
     where m.conversation = $1 and ($2::bigint is null or m.request = $2) and ($3::bigint is null or m.turn = $3)
     order by m.request desc limit 1`,
    [conversation, request ?? null, turn ?? null],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const manifest =
    row.base === null
      ? (JSON.parse(row.data) as StoredManifest)
      : fromDelta(JSON.parse(row.base) as StoredManifest, row.data);
  return {
    request: Number(row.request),
    turn: Number(row.turn),
    at: row.at.toISOString(),
    manifest: manifest as M,
  };
}
