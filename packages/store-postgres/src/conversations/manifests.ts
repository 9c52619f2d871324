import type { ManifestQuery, RecordedManifest, StoredManifest } from "@ikigai/core/host";
import type { Database, Sql } from "@ikigai/database";
import { fromDelta, needsBase, toDelta } from "./manifest-delta.ts";
import { noConversation } from "./no-conversation.ts";

interface ManifestRow {
  readonly request: string;
  readonly turn: string;
  readonly at: Date;
  readonly data: string;
  readonly base: string | null;
}

interface LastRow {
  /** Changes whenever the row of the conversation does. */
  readonly version: string;
  readonly manifest: string | null;
  readonly request: string | null;
  readonly data: string | null;
  readonly spent: number;
}

const READ_LAST = `
  select c.xmin::text as version, c.manifest, b.request, b.data, (select coalesce(sum(length(d.data)), 0)::int
    from manifest d where d.conversation = c.id and d.request > b.request) as spent
  from conversation c left join lateral (
    select request, data from manifest where conversation = c.id and base is null order by request desc limit 1) b on true
  where c.id = $1`;

const ADD = `
  with kept as (update conversation set manifest = $3 where id = $1 and xmin::text = $2 returning id)
  insert into manifest (conversation, request, turn, at, base, data)
  select id, coalesce((select max(request) from manifest where conversation = $1), 0) + 1, $4, $5, $6, $7 from kept`;

/**
 * Makes a manifest the last one of its conversation and keeps it with the others, of which it repeats nothing.
 *
 * Contract: the summary of the last one stays. False, and nothing is changed, when the conversation changed meanwhile,
 * which cannot be while it is locked.
 */
export async function addManifest(
  sql: Sql,
  conversation: string,
  manifest: StoredManifest,
  { turn, at }: { readonly turn: number; readonly at: Date },
): Promise<boolean> {
  const { rows } = await sql.query<LastRow>(READ_LAST, [conversation]);
  const [last] = rows;
  if (last === undefined) throw noConversation(conversation);
  const { summary } = JSON.parse(last.manifest ?? "{}") as StoredManifest;
  const kept = JSON.stringify({ ...manifest, ...(summary !== undefined && { summary }) });
  const delta = last.data === null ? undefined : toDelta(JSON.parse(last.data) as StoredManifest, manifest);
  const values =
    delta === undefined || last.data === null || needsBase(last.data.length, last.spent, delta)
      ? [null, JSON.stringify(manifest)]
      : [last.request, delta];
  const { count } = await sql.query(ADD, [conversation, last.version, kept, turn, at, ...values]);
  return count > 0;
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
