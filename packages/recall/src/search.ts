import { IkigaiError } from "@ikigai/core";
import type { Embedder } from "@ikigai/core/host";
import { embedChecked } from "./embed/embed-checked.ts";
import type { RecallCall, RecallEntry, RecallHit, RecallKind, SearchRequest } from "./contract.ts";
import { assertDate } from "./entry/assert-entry.ts";
import { assertFilter, type MetadataFilter } from "./filter.ts";
import { rarityOf } from "./rank/impact.ts";
import type { Pool } from "./rank/pool.ts";
import { chooseTerms, planQuery, type QueryTerm } from "./rank/query-plan.ts";
import { type Ranked, rankPool } from "./rank/rank-pool.ts";
import { candidatesFor, WEIGHTS } from "./rank/weights.ts";
import type { Analyser } from "./text/analyse.ts";
import type { FoundDates } from "./time/find-dates.ts";

/** What a result must satisfy whatever its relevance. */
export interface Conditions {
  readonly kinds: readonly RecallKind[];
  readonly filter?: MetadataFilter;
  readonly since?: Date;
  readonly until?: Date;
}

export interface PoolRequest extends Conditions {
  readonly owner: string;
  readonly terms: readonly QueryTerm[];
  readonly dates: FoundDates;
  /** Number of the best entries by words, and of the best by vector, that are ranked. */
  readonly candidates: number;
  readonly vector?: Float32Array;
}

/** The few things that an engine does for a search. Everything else is the same for all. */
export interface SearchEngine {
  /** How many entries there are, and how many have each of the terms. */
  frequencies(
    owner: string,
    kinds: readonly RecallKind[],
    terms: readonly string[],
  ): Promise<{ readonly entries: number; readonly found: ReadonlyMap<string, number> }>;
  /** The best entries by words, by vector and by date, with their neighbours. */
  pool(request: PoolRequest): Promise<Pool>;
  load(owner: string, ids: readonly string[]): Promise<readonly RecallEntry[]>;
}

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 200;
const MAX_EMBEDDED = 8_000;
/** A search waits this long for its query's vector. */
const QUERY_MS = 10_000;

export async function searchWith(
  engine: SearchEngine,
  analyser: Analyser,
  embedder: Embedder | undefined,
  request: SearchRequest,
  { owner, signal, now = new Date(), warn }: RecallCall,
): Promise<readonly RecallHit[]> {
  const limit = checkRequest(request);
  const { kinds = ["entry"], filter, since, until } = request;
  const plan = planQuery(request.query, analyser, now);
  if (plan.unread !== undefined) warn?.(plan.unread);
  const { entries, found } = await engine.frequencies(owner, kinds, [...plan.terms.keys()]);
  signal?.throwIfAborted();
  if (entries === 0) return [];
  const known = [...plan.terms].flatMap(([term, word]) => present(term, word, found.get(term), entries));
  const terms = chooseTerms(known);
  if (terms.length < known.length)
    warn?.(`only the ${terms.length} rarest words of the query were looked for; ask for less at a time`);
  const asked = await queryVector(embedder, request.query, signal);
  const { vector, missing } = asked;
  if (missing !== undefined) warn?.(missing);
  const pool = await engine.pool({
    owner,
    kinds,
    terms,
    dates: plan.dates,
    candidates: candidatesFor(limit),
    ...(filter !== undefined && { filter }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(vector !== undefined && { vector }),
  });
  signal?.throwIfAborted();
  const weights = { ...WEIGHTS, vector: embedder?.weight ?? WEIGHTS.vector };
  const best = rankPool(pool, plan, terms, weights).slice(0, limit);
  const ids = best.map(({ entry }) => entry.id);
  const loaded = new Map((await engine.load(owner, ids)).map((one) => [one.id, one]));
  return best.flatMap((ranked) => toHit(ranked, loaded.get(ranked.entry.id), terms, vector && embedder?.id));
}

/** A model that cannot be reached in time costs meaning, not the search; the caller is then told. */
async function queryVector(
  embedder: Embedder | undefined,
  query: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly vector?: Float32Array; readonly missing?: string }> {
  if (embedder === undefined || query.trim() === "") return {};
  const late = AbortSignal.timeout(QUERY_MS);
  try {
    const both = signal === undefined ? late : AbortSignal.any([signal, late]);
    const [vector] = await embedChecked(embedder, [query.slice(0, MAX_EMBEDDED)], both);
    return vector === undefined ? {} : { vector };
  } catch (error) {
    signal?.throwIfAborted();
    if (late.aborted) return { missing: `without meaning: ${embedder.id} did not answer in ${QUERY_MS / 1_000} s` };
    // An embedder that may not be loaded any more is as good as absent: a person trusts it again, meanwhile words are searched.
    if (!IkigaiError.is(error, "unavailable") && !IkigaiError.is(error, "permission_denied")) throw error;
    return { missing: `without meaning: ${error.message}` };
  }
}

function present(term: string, word: string, found: number | undefined, entries: number): readonly QueryTerm[] {
  return found === undefined || found === 0 ? [] : [{ term, word, found, rarity: rarityOf(found, entries) }];
}

/** An entry that was superseded or erased meanwhile has vanished. */
function toHit(
  { entry, score, also }: Ranked,
  loaded: RecallEntry | undefined,
  terms: readonly QueryTerm[],
  model: string | undefined,
): readonly RecallHit[] {
  if (loaded === undefined) return [];
  const words = terms.filter((_, i) => (entry.mask & (1 << i)) !== 0).map(({ word }) => word);
  const vector = entry.vector === undefined || model === undefined ? {} : { vector: round(entry.vector), model };
  return [{ ...loaded, score: round(score), why: { words, also, ...vector } }];
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

function checkRequest({ limit = DEFAULT_LIMIT, filter = {}, since, until, kinds }: SearchRequest): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new IkigaiError("invalid_input", `recall: limit is ${limit}, it must be 1 to ${MAX_LIMIT}`, {
      hint: `Use a limit from 1 to ${MAX_LIMIT}.`,
    });
  }
  if (kinds?.length === 0)
    throw new IkigaiError("invalid_input", "recall: the scope is empty", {
      hint: "Leave scope out to search everything.",
    });
  assertFilter(filter);
  if (since !== undefined) assertDate("since", since);
  if (until !== undefined) assertDate("until", until);
  return limit;
}
