import type { RecallKind } from "../contract.ts";
import { cosine } from "../embed/cosine.ts";
import type { Pool, PoolEntry, PoolLink } from "../rank/pool.ts";
import type { PoolRequest, SearchEngine } from "../search.ts";
import { termKey } from "../text/term-key.ts";
import type { DaySpan } from "../time/day.ts";
import { poolStatement } from "./pool-sql.ts";
import { ENTRY_COLUMNS, type EntryRow, toEntry } from "./rows.ts";
import { arrayOf, type SqlClient } from "./sql-client.ts";
import { hasVectorIndex } from "./vector-index.ts";
import { readVectors, similarEntries } from "./vectors.ts";

/** Rare terms are counted one by one, common ones in the smallest sample that has enough of them. */
const FREQUENCIES = "select i, found from recall_found($1::text, $2::text::text[], $3::text::bigint[])";

/** Terms that are counted; of more, those that the fewest entries have. */
const COUNTED = 256;
/** Counting as far as this tells the rare ones. */
const RARE = 32;
const RAREST = `
select i from (
  select t.i::int as i, (select count(*) from (select 1 from recall_posting p where p.key = t.key limit ${RARE}) c) as n
  from unnest($1::text::bigint[]) with ordinality as t(key, i)) x
where n > 0 order by n, i limit ${COUNTED}`;

export function postgresEngine(sql: SqlClient, model: string | undefined, readLimit?: number): SearchEngine {
  let indexed: Promise<boolean> | undefined;
  const similarTo = async (request: PoolRequest): ReturnType<typeof similarEntries> => {
    if (model === undefined) return [];
    indexed ??= hasVectorIndex(sql, model);
    return similarEntries(sql, request, { model, indexed: await indexed });
  };
  return {
    async frequencies(owner, kinds, all) {
      const terms = all.length <= COUNTED ? all : await rarest(sql, owner, kinds, all);
      const keys = kinds.flatMap((kind) => terms.map((term) => termKey(owner, kind, term)));
      const { rows } = await sql.query<{ i: number; found: number }>(FREQUENCIES, [
        owner,
        arrayOf(kinds),
        arrayOf(keys),
      ]);
      const found = new Map<string, number>();
      let entries = 0;
      for (const row of rows) {
        const term = terms[(row.i - 1) % terms.length];
        if (row.i === 0) entries = row.found;
        else if (term !== undefined) found.set(term, (found.get(term) ?? 0) + row.found);
      }
      return { entries, found };
    },
    async pool(request) {
      const similar = await similarTo(request);
      const { text, values } = poolStatement(
        request,
        similar.map(({ id }) => id),
        readLimit,
      );
      const { rows } = await sql.query<PoolRow>(text, values);
      const vectors = new Map(similar.map(({ id, vector }) => [id, vector]));
      if (model !== undefined && request.vector !== undefined) {
        const missing = rows.map(({ id }) => id).filter((id) => !vectors.has(id));
        for (const { id, vector } of await readVectors(sql, model, missing))
          if (vector.length === request.vector.length) vectors.set(id, vector);
      }
      return toPool(rows, request, vectors);
    },
    async load(owner, ids) {
      const { rows } = await sql.query<EntryRow>(
        `select ${ENTRY_COLUMNS} from (select * from recall_entry where id = any ($2::text::bigint[]) offset 0) e
         where e.owner = $1::text and e.live`,
        [owner, arrayOf(ids)],
      );
      return rows.map(toEntry);
    },
  };
}

/** The terms of a very long query that are worth counting. */
async function rarest(
  sql: SqlClient,
  owner: string,
  kinds: readonly RecallKind[],
  terms: readonly string[],
): Promise<readonly string[]> {
  const keys = kinds.flatMap((kind) => terms.map((term) => termKey(owner, kind, term)));
  const { rows } = await sql.query<{ i: number }>(RAREST, [arrayOf(keys)]);
  return [...new Set(rows.map(({ i }) => terms[(i - 1) % terms.length] as string))];
}

interface PoolRow {
  readonly id: string;
  readonly words: number;
  readonly mask: number;
  readonly thread: string | null;
  readonly occurred_at: number | null;
  readonly created_at: number;
  readonly speaker: readonly string[];
  readonly asks: boolean;
  readonly tells_time: boolean;
  readonly dates: readonly number[];
  readonly before: readonly string[] | null;
  readonly after: readonly string[] | null;
  readonly eligible: boolean;
}

function toPool(
  rows: readonly PoolRow[],
  { vector: asked }: PoolRequest,
  vectors: ReadonlyMap<string, Float32Array>,
): Pool {
  const links = rows.flatMap(({ id, before, after }): PoolLink[] => [
    ...(before ?? []).map((to, i) => ({ from: id, to, offset: -1 - i })),
    ...(after ?? []).map((to, i) => ({ from: id, to, offset: 1 + i })),
  ]);
  const entries = rows.map((row): PoolEntry => {
    const vector = vectors.get(row.id);
    return {
      id: row.id,
      words: row.words,
      mask: row.mask,
      createdAt: row.created_at,
      speaker: row.speaker,
      asks: row.asks,
      tellsTime: row.tells_time,
      dates: spansOf(row.dates),
      eligible: row.eligible,
      ...(row.thread !== null && { thread: row.thread }),
      ...(row.occurred_at !== null && { occurredAt: row.occurred_at }),
      ...(vector !== undefined && asked !== undefined && { vector: cosine(vector, asked) }),
    };
  });
  return { entries, links };
}

function spansOf(days: readonly number[]): readonly DaySpan[] {
  const spans: DaySpan[] = [];
  for (let i = 0; i + 1 < days.length; i += 2) spans.push({ from: days[i] as number, to: days[i + 1] as number });
  return spans;
}
