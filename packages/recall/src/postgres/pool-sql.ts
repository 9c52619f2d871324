import type { PoolRequest } from "../search.ts";
import { termKey } from "../text/term-key.ts";
import { REACH } from "../rank/weights.ts";
import { DATE_CANDIDATES, dateWindow } from "../rank/date-window.ts";
import type { QueryTerm } from "../rank/query-plan.ts";
import { type Bind, conditionsSql } from "./filter-sql.ts";
import { ms } from "./rows.ts";
import { arrayOf } from "./sql-client.ts";

/** Postings that one search reads at most; what is more common only adds to what rarer words found. */
const READ = 16_000;
/** The share of them that a term may have to be read whole. */
const EACH = 1 / 4;
const READ_FILTERED = 50_000;
/** Entries per wanted one whose common words are looked up one by one. */
const PROBED = 3;

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The plan of a function is kept by its connection, which is worth more than half of a search that finds little. */
const FUNCTION = `select * from recall_pool($1::text, $2::text::text[], $3::text::bigint[], $4::text::int[], $5::text::int[],
  $6::text::int[], $7::boolean, $8::int, $9::int, $10::text::bigint[], $11::text::timestamptz[], $12::text::timestamptz[], $13::int,
  $14::int)`;

/**
 * The statement that finds the pool: a call of the schema's function, or its text where conditions are part of it.
 *
 * Contract: both give the same rows.
 */
export function poolStatement(request: PoolRequest, similar: readonly string[], readLimit: number = READ): Statement {
  const { owner, kinds, candidates, dates, filter = {}, since, until } = request;
  if (since !== undefined || until !== undefined || Object.keys(filter).length > 0)
    return conditionalStatement(request, similar, readLimit);
  const terms = termRows(request, readLimit, Math.ceil(EACH * readLimit));
  const column = (pick: (row: TermRow) => string | number): string => arrayOf(terms.map(pick));
  const windows = dates.spans.map(dateWindow);
  const values = [
    owner,
    arrayOf(kinds),
    column(({ key }) => key),
    column(({ rarity }) => rarity),
    column(({ bit }) => bit),
    column(({ cap }) => cap),
    isPartial(terms),
    isProbing(terms) ? PROBED * candidates : candidates,
    candidates,
    arrayOf(similar),
    arrayOf(windows.map(({ from }) => from.toISOString())),
    arrayOf(windows.map(({ to }) => to.toISOString())),
    DATE_CANDIDATES,
    REACH,
  ];
  return { text: FUNCTION, values };
}

/** Whether some terms are looked up for the best entries only. */
function isProbing(terms: readonly TermRow[]): boolean {
  return terms.some(({ cap }) => cap === 0);
}

/** Whether even the rarest term is read in part. */
function isPartial(terms: readonly TermRow[]): boolean {
  return terms.some(({ cap, found }) => cap > 0 && cap < found);
}

/**
 * The statement that ranks by words: BM25 as a sum of rarity × impact over the postings of the query's terms, then the
 * best entries with their neighbours.
 *
 * Rare terms are read whole, starting with the rarest, until the allowance is spent; if even the rarest is too common, its
 * latest entries, and what was found is looked up in all terms. The other terms are looked up for the best entries only. So the work does not grow with the archive.
 * What is wanted is looked up by lists of ids and hashed sets (`is true` keeps the planner from making a join of it),
 * because no planner can guess how many there are.
 */
function conditionalStatement(request: PoolRequest, similar: readonly string[], readLimit: number): Statement {
  const values: unknown[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const conditions = conditionsSql(request, bind);
  const allowance = Math.max(READ_FILTERED, readLimit);
  const terms = termRows(request, allowance, allowance);
  const column = (pick: (row: TermRow) => string | number, type: string): string =>
    `${bind(arrayOf(terms.map(pick)))}::text::${type}[]`;
  const owner = `${bind(request.owner)}::text`;
  const kinds = request.kinds.map((kind) => `${bind(kind)}::text`).join(", ");
  const eligible = [`e.owner = ${owner}`, "e.live", `e.kind in (${kinds})`, ...conditions].join(" and ");
  const probing = isProbing(terms);
  const partial = isPartial(terms);
  const near = (direction: "<" | ">"): string => `array(
      select n.id::text from recall_entry n
      where n.owner = e.owner and n.kind = e.kind and n.thread = e.thread and n.live and (n.sort, n.id) ${direction} (e.sort, e.id)
      order by n.sort ${direction === "<" ? "desc" : "asc"}, n.id ${direction === "<" ? "desc" : "asc"} limit ${REACH})`;
  const probe = (ids: string, which = "where t.cap = 0"): string => `
  select p.entry, sum(t.rarity * p.impact)::float8 as words, bit_or(t.bit) as mask
  from term t join recall_posting p on p.key = t.key and p.entry = any (array(${ids}))
  ${which} group by p.entry`;
  const text = `
with term as materialized (
  select * from unnest(${column(({ key }) => key, "bigint")}, ${column(({ rarity }) => rarity, "int")},
    ${column(({ bit }) => bit, "int")}, ${column(({ cap }) => cap, "int")}) as t(key, rarity, bit, cap)
), scored as materialized (
  select p.entry, sum(t.rarity * p.impact)::float8 as words, bit_or(t.bit) as mask
  from term t cross join lateral (
    select entry, impact from recall_posting where key = t.key order by entry desc limit t.cap) p
  where t.cap > 0
  group by p.entry
), best as materialized (
  select s.entry, s.words, s.mask from scored s
  join recall_entry e on e.id = s.entry where ${eligible}
  order by s.words desc, s.entry desc limit ${probing ? PROBED * request.candidates : request.candidates}
), strongest as (
  ${
    probing
      ? `select entry from (select entry, words from best union all select entry, words from (${probe("select entry from best")}) x) b
  group by entry order by sum(words) desc, entry desc limit ${request.candidates}`
      : "select entry from best"
  }
), seed as (
  select entry from strongest
  union select unnest(${bind(arrayOf(similar))}::text::bigint[])
  ${datesSql(request, eligible, bind)}
), line as materialized (
  select e.id, ${near("<")} as before, ${near(">")} as after
  from seed join recall_entry e on e.id = seed.entry
  where ${eligible}
), wanted as materialized (
  select id from line
  union select unnest(before)::bigint from line
  union select unnest(after)::bigint from line
), member as (
  select id, sum(words) as words, bit_or(mask) as mask from (
    select id, 0::float8 as words, 0 as mask from wanted
    ${partial ? "" : "union all select entry, words, mask from scored where (entry in (select id from wanted)) is true"}
    ${probing || partial ? `union all select entry, words, mask from (${probe("select id from wanted", partial ? "" : undefined)}) x` : ""}) u
  group by id
)
select e.id::text as id, member.words::float8 as words, member.mask::int as mask, e.thread,
  ${ms("e.occurred_at")} as occurred_at, ${ms("e.created_at")} as created_at, e.speaker, e.asks, e.tells_time, e.dates,
  line.before, line.after, (${eligible}) as eligible
from member join recall_entry e on e.id = member.id and e.owner = ${owner} and e.live
left join line on line.id = e.id`;
  return { text, values };
}

/** Entries of the dates asked for. */
function datesSql({ dates }: PoolRequest, eligible: string, bind: Bind): string {
  return dates.spans
    .map((span) => {
      const { from, to } = dateWindow(span);
      const within = `e.at >= ${bind(from.toISOString())}::text::timestamptz and e.at < ${bind(to.toISOString())}::text::timestamptz`;
      return `union (select e.id from recall_entry e where ${eligible} and ${within} order by e.at, e.id limit ${DATE_CANDIDATES})`;
    })
    .join("\n  ");
}

interface TermRow {
  readonly key: string;
  readonly rarity: number;
  readonly bit: number;
  /** Postings to read; 0 means to look up one by one. */
  readonly cap: number;
  readonly found: number;
}

function termRows({ owner, kinds, terms }: PoolRequest, allowance: number, each: number): readonly TermRow[] {
  let left = allowance;
  const caps = new Map<QueryTerm, number>();
  for (const term of terms.toSorted((a, b) => a.found - b.found)) {
    const whole = term.found <= Math.min(left, each);
    const cap = whole ? Math.max(1, 2 * term.found) : left === allowance ? each : 0;
    caps.set(term, cap);
    left -= Math.min(left, term.found);
  }
  return terms.flatMap((term, i) =>
    kinds.map((kind) => ({
      key: termKey(owner, kind, term.term),
      rarity: term.rarity,
      bit: 1 << i,
      cap: caps.get(term) as number,
      found: term.found,
    })),
  );
}
