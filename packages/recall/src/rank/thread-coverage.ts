import type { Lent } from "./lend-weight.ts";
import type { PoolEntry } from "./pool.ts";
import type { QueryTerm } from "./query-plan.ts";

const MS_PER_DAY = 86_400_000;
const LOOKED_AT = 60;

/**
 * How much of the query an entry's thread has, next to the best thread: 0 to 1.
 *
 * A thread that goes on for months is taken day by day.
 */
export function threadCoverage(lent: readonly Lent[], terms: readonly QueryTerm[]): (entry: PoolEntry) => number {
  const strongest = lent.filter(({ entry }) => entry.words > 0).toSorted((a, b) => b.own - a.own);
  const masks = new Map<string, number>();
  for (const { entry } of strongest.slice(0, LOOKED_AT)) {
    const episode = episodeOf(entry);
    if (episode !== undefined) masks.set(episode, (masks.get(episode) ?? 0) | entry.mask);
  }
  const rarity = (mask: number): number =>
    terms.reduce((sum, term, i) => ((mask & (1 << i)) === 0 ? sum : sum + term.rarity), 0);
  const covered = new Map([...masks].map(([episode, mask]) => [episode, rarity(mask)]));
  const best = Math.max(1, ...covered.values());
  return (entry) => (covered.get(episodeOf(entry) ?? "") ?? 0) / best;
}

function episodeOf({ thread, occurredAt }: PoolEntry): string | undefined {
  if (thread === undefined) return undefined;
  return occurredAt === undefined ? thread : `${Math.floor(occurredAt / MS_PER_DAY)} ${thread}`;
}
