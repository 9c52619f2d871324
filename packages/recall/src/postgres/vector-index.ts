import { createHash } from "node:crypto";
import type { Embedder } from "@ikigai/core/host";
import type { Sql } from "./sql-client.ts";

/** Below this many vectors, looking at all of them is as fast. */
const WORTHWHILE = 5_000;

/**
 * Gives the vectors of a model an index, where the server has pgvector and there are enough of them.
 *
 * Contract: false when there is no index, which only costs time. Stores that were opened before go on without it.
 */
export async function createVectorIndex(
  sql: Sql,
  { id, dimensions }: Pick<Embedder, "id" | "dimensions">,
  { worthwhile = WORTHWHILE }: { readonly worthwhile?: number } = {},
): Promise<boolean> {
  if (await hasVectorIndex(sql, id)) return true;
  const { rows } = await sql.query<{ vectors: number; extension: boolean }>(
    `select (select count(*) from recall_vector where model = $1::text)::float8 as vectors,
       exists (select 1 from pg_extension where extname = 'vector') as extension`,
    [id],
  );
  const { vectors, extension } = rows[0] as { vectors: number; extension: boolean };
  if (!extension || vectors < worthwhile) return false;
  const bits = Math.trunc(dimensions);
  await sql.query(
    `create index if not exists ${indexName(id)} on recall_vector using hnsw ((bits::bit(${bits})) bit_hamming_ops)
     where model = '${id.replaceAll("'", "''")}'`,
  );
  return true;
}

export async function hasVectorIndex(sql: Sql, model: string): Promise<boolean> {
  const { rows } = await sql.query<{ found: boolean }>("select to_regclass($1::text) is not null as found", [
    indexName(model),
  ]);
  return rows[0]?.found === true;
}

function indexName(model: string): string {
  return `recall_vector_near_${createHash("sha1").update(model).digest("hex").slice(0, 12)}`;
}
