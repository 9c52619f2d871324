import { neighboursOf } from "./neighbours.ts";
import type { Pool, PoolEntry } from "./pool.ts";
import type { QueryTerm } from "./query-plan.ts";
import { compareIds } from "./compare-ids.ts";
import { REACH, TOGETHER_MS, type Weights } from "./weights.ts";

/** An entry with the weight of its words, and of its words together with its neighbours'. */
export interface Lent {
  readonly entry: PoolEntry;
  readonly own: number;
  readonly weight: number;
  /** Neighbours that were said together with it. */
  readonly near: readonly { readonly entry: PoolEntry; readonly share: number }[];
}

/** Lets the neighbours of a strong hit take part in its strength: what answers a question stands beside it. */
export function lendWeight(pool: Pool, terms: readonly QueryTerm[], weights: Weights): readonly Lent[] {
  const entries = pool.entries.toSorted((a, b) => compareIds(a.id, b.id));
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const near = neighboursOf(pool.links, REACH);
  const coverage = createCoverage(terms);
  const own = new Map(entries.map((one) => [one.id, one.words * (1 + weights.coverage * coverage([one.mask]))]));
  return entries.map((entry) => {
    const around: { entry: PoolEntry; share: number }[] = [];
    for (const { id, offset } of near.get(entry.id) ?? []) {
      const other = byId.get(id);
      if (other === undefined || apart(entry, other)) continue;
      const shares = offset < 0 ? weights.before : weights.after;
      around.push({ entry: other, share: shares[Math.abs(offset) - 1] as number });
    }
    const mine = own.get(entry.id) as number;
    const lent = around.reduce((sum, { entry: { id }, share }) => sum + share * (own.get(id) as number), mine);
    const covered = coverage([entry.mask, ...around.map(({ entry: { mask } }) => mask)]);
    return {
      entry,
      own: mine * (1 + weights.windowCoverage * coverage([entry.mask])),
      weight: lent * (1 + weights.windowCoverage * covered),
      near: around,
    };
  });
}

function apart(a: PoolEntry, b: PoolEntry): boolean {
  if (a.occurredAt === undefined || b.occurredAt === undefined) return false;
  return Math.abs(a.occurredAt - b.occurredAt) > TOGETHER_MS;
}

const BESIDE = 0.7;

/** The share of the query's words, rare ones counting more, that the first mask has, or less so one of the others. */
export function createCoverage(terms: readonly QueryTerm[]): (masks: readonly number[]) => number {
  const all = terms.reduce((sum, { rarity }) => sum + rarity, 0);
  return (masks) => {
    if (all === 0) return 0;
    let sum = 0;
    for (let i = 0; i < terms.length; i++) {
      const bit = 1 << i;
      const { rarity } = terms[i] as QueryTerm;
      if (((masks[0] as number) & bit) !== 0) sum += rarity;
      else if (masks.some((mask) => (mask & bit) !== 0)) sum += BESIDE * rarity;
    }
    return sum / all;
  };
}
