import type { Lent } from "./lend-weight.ts";
import type { Ranked, Signed } from "./rank-pool.ts";
import type { Weights } from "./weights.ts";

/**
 * Joins words and meaning, and turns the sum into a score between 0 and 1.
 *
 * Similarities are measured against the pool's own spread, so that a model whose similarities are all alike says
 * little. Words lead: meaning adds to them and never takes away.
 */
export function addVectors(
  words: readonly Signed[],
  lent: readonly Lent[],
  weights: Weights,
  ideal: number,
): readonly Ranked[] {
  const most = words.reduce((best, { weight }) => Math.max(best, weight), 0);
  const meaning = meaningOf(lent);
  const scale = most === 0 ? ideal : most;
  return words.map(({ entry, weight, also }) => {
    const sum = weight + weights.vector * scale * (meaning.get(entry.id) ?? 0);
    return { entry, also, score: ideal === 0 ? Math.max(0, Math.min(1, sum)) : 1 - Math.exp(-sum / (ideal / 2)) };
  });
}

/** 0 for a middling similarity, 1 for the best, with what neighbours lend. */
function meaningOf(lent: readonly Lent[]): ReadonlyMap<string, number> {
  const values = lent.flatMap(({ entry: { vector } }) => (vector === undefined ? [] : [vector]));
  if (values.length === 0) return new Map();
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)] as number;
  const best = sorted.at(-1) as number;
  const spread = best - middle;
  if (spread <= 0) return new Map();
  const plain = (vector: number | undefined): number =>
    vector === undefined ? 0 : Math.max(0, (vector - middle) / spread);
  return new Map(
    lent.map(({ entry, near }) => {
      const around = near.reduce((sum, { entry: { vector }, share }) => sum + share * plain(vector), 0);
      return [entry.id, plain(entry.vector) + 0.5 * around];
    }),
  );
}
