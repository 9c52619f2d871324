import type { RecallEmbedding } from "../contract.ts";
import { cosine } from "../embed/cosine.ts";
import type { Embedder } from "@ikigai/core/host";
import { embedChecked } from "../embed/embed-checked.ts";
import type { PoolRequest } from "../search.ts";
import { type Bind, conditionsSql } from "./filter-sql.ts";
import type { Statement } from "./pool-sql.ts";
import { arrayOf, type Sql, type SqlClient, type SqlRows } from "./sql-client.ts";

/** Entries per wanted one, those whose signs agree best with the query's, that are compared number by number. */
const SIFTED = 8;
const MAX_EMBEDDED = 8_000;

interface StoredVector {
  readonly id: string;
  readonly vector: Float32Array;
}

/**
 * The entries nearest in meaning: sifted by the signs of their numbers, 64 bytes for 512 dimensions, in plain SQL or
 * through an index of pgvector; then by the numbers themselves.
 */
export async function similarEntries(
  client: SqlClient,
  request: PoolRequest,
  { model, indexed }: { readonly model: string; readonly indexed: boolean },
): Promise<readonly StoredVector[]> {
  const { vector, candidates } = request;
  if (vector === undefined) return [];
  const { text, values } = siftStatement(request, vector, model, indexed);
  const { rows } = await (indexed
    ? client.transaction((tx) => siftByIndex(tx, text, values, candidates))
    : client.query<VectorRow>(text, values));
  return rows
    .map(toVector)
    .map((one) => ({ ...one, near: cosine(one.vector, vector) }))
    .toSorted((a, b) => b.near - a.near || Number(b.id) - Number(a.id))
    .slice(0, candidates);
}

/** The index gives as many as it is told to look at, whoever owns them, and goes on until enough fit. */
async function siftByIndex(
  tx: Sql,
  text: string,
  values: readonly unknown[],
  candidates: number,
): Promise<SqlRows<VectorRow>> {
  await tx.query(`set local hnsw.ef_search = ${Math.min(1_000, SIFTED * candidates)}`);
  await tx.query("set local hnsw.iterative_scan = 'relaxed_order'");
  return tx.query<VectorRow>(text, values);
}

function siftStatement(request: PoolRequest, vector: Float32Array, model: string, indexed: boolean): Statement {
  const { owner, kinds, candidates } = request;
  const values: unknown[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const conditions = conditionsSql(request, bind);
  const ofKinds = kinds.map((kind) => `${bind(kind)}::text`).join(", ");
  const fits = `v.owner = ${bind(owner)}::text and v.kind in (${ofKinds})`;
  const signs = bind(signsOf(vector));
  const bits = `bit(${vector.length})`;
  const quoted = `'${model.replaceAll("'", "''")}'`;
  const order = indexed
    ? `(v.bits::${bits}) <~> ${signs}::text::${bits}`
    : `bit_count(v.bits # ${signs}::text::bit varying), v.entry desc`;
  const text = `with sifted as (
       select v.entry, v.model from recall_vector v
       ${conditions.length > 0 ? `join recall_entry e on e.id = v.entry and ${conditions.join(" and ")}` : ""}
       where v.model = ${quoted} and length(v.bits) = ${vector.length} and ${fits} order by ${order} limit ${SIFTED * candidates})
     select v.entry::text as id, v.value from sifted join recall_vector v using (model, entry)`;
  return { text, values };
}

export async function readVectors(sql: Sql, model: string, ids: readonly string[]): Promise<readonly StoredVector[]> {
  const { rows } = await sql.query<VectorRow>(
    `select v.entry::text as id, v.value from recall_vector v
     where v.model = $1::text and v.entry = any ($2::text::bigint[])`,
    [model, arrayOf(ids)],
  );
  return rows.map(toVector);
}

/** An entry may become visible after later ones, by as many places as there are writers at once. */
const LATE = 1_000;

/**
 * Gives entries their vectors, in the order of their ids; what is behind is not looked at again.
 *
 * Contract: as {@link RecallEmbedding}; several processes may do so at once.
 */
export function postgresEmbedding(sql: Sql, embedder: Embedder): RecallEmbedding {
  const pending = `from recall_entry e where e.live and e.id > $2::text::bigint and not exists (
    select 1 from recall_vector v where v.entry = e.id and v.model = $1::text and v.dimensions = ${embedder.dimensions})`;
  let done = 0;
  let left: number | undefined;
  const count = async (): Promise<number> => {
    const { rows } = await sql.query<{ n: number }>(`select count(*)::int as n ${pending}`, [
      embedder.id,
      Math.max(0, done - LATE),
    ]);
    return (rows[0] as { n: number }).n;
  };
  return {
    model: embedder.id,
    async embedNext(batch, signal) {
      const { rows } = await sql.query<{ id: string; content: string }>(
        `select e.id::text as id, left(e.content, ${MAX_EMBEDDED}) as content ${pending} order by e.id limit $3::int`,
        [embedder.id, Math.max(0, done - LATE), batch],
      );
      if (rows.length === 0) {
        left = undefined;
        return { embedded: 0, remaining: 0 };
      }
      const vectors = await embedChecked(
        embedder,
        rows.map(({ content }) => content),
        signal,
      );
      const json = rows.map(({ id }, i) => toJson(id, vectors[i] as Float32Array));
      await sql.query(SAVE, [embedder.id, embedder.dimensions, JSON.stringify(json)]);
      done = Number(rows.at(-1)?.id);
      left = left === undefined || left <= rows.length ? await count() : left - rows.length;
      return { embedded: rows.length, remaining: left };
    },
  };
}

/** Vectors of other models go as the new ones come, so that nothing is found twice and nothing is mixed. */
const SAVE = `
with input as (
  select * from jsonb_to_recordset($3::text::jsonb) as j(id bigint, bits text, value text)
), old as (
  delete from recall_vector where entry in (select id from input) and model <> $1::text
)
insert into recall_vector (entry, model, dimensions, owner, kind, bits, value)
select e.id, $1::text, $2::int, e.owner, e.kind, i.bits::bit varying, decode(i.value, 'base64')
from input i join recall_entry e on e.id = i.id and e.live
on conflict (model, entry) do update set dimensions = excluded.dimensions, bits = excluded.bits, value = excluded.value`;

interface VectorRow {
  readonly id: string;
  readonly value: Uint8Array;
}

function toVector({ id, value }: VectorRow): StoredVector {
  const bytes = Uint8Array.from(value);
  return { id, vector: new Float32Array(bytes.buffer) };
}

function toJson(id: string, vector: Float32Array): Record<string, unknown> {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return { id, bits: signsOf(vector), value: bytes.toString("base64") };
}

function signsOf(vector: Float32Array): string {
  return [...vector].map((value) => (value > 0 ? "1" : "0")).join("");
}
