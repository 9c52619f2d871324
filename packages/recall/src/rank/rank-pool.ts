import { dateMatch } from "../time/date-match.ts";
import { dayOf } from "../time/day.ts";
import { compareIds } from "./compare-ids.ts";
import { type Lent, lendWeight } from "./lend-weight.ts";
import type { Pool, PoolEntry } from "./pool.ts";
import type { QueryPlan, QueryTerm } from "./query-plan.ts";
import { threadCoverage } from "./thread-coverage.ts";
import { addVectors } from "./vector-weight.ts";
import type { Weights } from "./weights.ts";

export interface Ranked {
  readonly entry: PoolEntry;
  /** 0 to 1. */
  readonly score: number;
  readonly also: readonly string[];
}

/**
 * The pool's entries, best first: the one place where all signs come together, whatever the engine.
 *
 * Contract: the same pool gives the same order; entries for which nothing speaks are left out.
 */
export function rankPool(
  pool: Pool,
  plan: QueryPlan,
  terms: readonly QueryTerm[],
  weights: Weights,
): readonly Ranked[] {
  const asked = plan.dates.spans.length + plan.dates.yearly.length > 0;
  const lent = lendWeight(pool, terms, weights);
  const most = lent.reduce((best, { weight }) => Math.max(best, weight), 0);
  const scale = most === 0 ? 1 : most;
  const threads = threadCoverage(lent, terms);
  const words = lent.map((one): Signed => {
    const also: string[] = [];
    let weight = one.weight;
    if (weight > one.own) also.push("neighbours");
    const match = asked ? dateMatch(plan.dates, dayOfEntry(one.entry), one.entry.dates) : 0;
    if (match > 0) also.push("date");
    if (weight === 0) return { entry: one.entry, weight: match * weights.dateAlone * scale, also };
    weight += weights.thread * scale * threads(one.entry);
    if (one.entry.speaker.some((name) => plan.terms.has(name))) {
      weight += weights.speaker * scale;
      also.push("speaker");
    }
    if (plan.asksWhen && one.entry.tellsTime) weight *= 1 + weights.tellsTime;
    if (one.entry.asks) weight *= 1 - weights.asks;
    return { entry: one.entry, weight: weight + weights.date * scale * match, also };
  });
  const ideal = 2 * terms.reduce((sum, { rarity }) => sum + rarity, 0) * IMPACT * (1 + weights.coverage);
  return addVectors(words, lent, weights, most === 0 ? 1 : ideal)
    .filter(({ entry, score }) => entry.eligible && score > 0)
    .toSorted((a, b) => b.score - a.score || compareIds(b.entry.id, a.entry.id));
}

/** An entry with the weight of all signs but meaning. */
export interface Signed {
  readonly entry: PoolEntry;
  readonly weight: number;
  readonly also: readonly string[];
}

const IMPACT = 1_500;

function dayOfEntry({ occurredAt, createdAt }: PoolEntry): number {
  return dayOf(new Date(occurredAt ?? createdAt));
}

export type { Lent };
