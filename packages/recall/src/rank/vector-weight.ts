import type { Lent } from "./lend-weight.ts";
import type { Ranked, Signed } from "./rank-pool.ts";
import type { Weights } from "./weights.ts";

/** Fewer similarities than this have no middle worth speaking of. */
const ENOUGH = 8;

/**
 * Joins words and meaning, and turns the sum into a score between 0 and 1.
 *
 * Similarities are measured against the pool's own spread, so that a model whose similarities are all alike says
 * little. Words lead: meaning adds to them and never takes away. Where no word leads anywhere, meaning decides alone.
 */
export function addVectors(
  words: readonly Signed[],
  lent: readonly Lent[],
  weights: Weights,
  ideal: number,
): readonly Ranked[] {
  const most = words.reduce((best, { weight }) => Math.max(best, weight), 0);
  const { meaning, best, nearest } = meaningOf(lent);
  return words.map(({ entry, weight, also }) => {
    const share = (meaning.get(entry.id) ?? 0) / best;
    const sum = weight + weights.vector * most * share * best;
    return { entry, also, score: most === 0 ? nearest * share : 1 - Math.exp((-2 * sum) / ideal) };
  });
}

interface Meaning {
  /** 0 for a middling similarity, 1 for the best, and what neighbours lend, as they do with words. */
  readonly meaning: ReadonlyMap<string, number>;
  readonly best: number;
  /** The best similarity itself. */
  readonly nearest: number;
}

function meaningOf(lent: readonly Lent[]): Meaning {
  const values = lent.flatMap(({ entry: { vector } }) => (vector === undefined ? [] : [vector]));
  const sorted = values.toSorted((a, b) => a - b);
  const middle = values.length < ENOUGH ? 0 : (sorted[Math.floor(sorted.length / 2)] as number);
  const nearest = sorted.at(-1) ?? 0;
  const spread = nearest - middle;
  if (spread <= 0) return { meaning: new Map(), best: 1, nearest: 0 };
  const plain = (vector = middle): number => Math.max(0, (vector - middle) / spread);
  const meaning = new Map(
    lent.map(({ entry, near }) => {
      const around = near.reduce((sum, { entry: { vector }, share }) => sum + share * plain(vector), 0);
      return [entry.id, plain(entry.vector) + around];
    }),
  );
  return { meaning, best: Math.max(...meaning.values()), nearest };
}
