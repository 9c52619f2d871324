/** Numbers that a seed repeats. */
export interface Random {
  /** A whole number from 0, below `limit`. */
  below(limit: number): number;
  chance(probability: number): boolean;
  /** Contract: `list` has at least one item. */
  pick<T>(list: readonly T[]): T;
  /** One of the names, in proportion to its weight. */
  weighted<T extends string>(weights: Readonly<Record<T, number>>): T;
}

/** Contract: the same seed gives the same numbers on every machine. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    below: (limit) => Math.floor(next() * limit),
    chance: (probability) => next() < probability,
    pick: (list) => list[Math.floor(next() * list.length)],
    weighted(weights) {
      const names = Object.keys(weights) as (keyof typeof weights)[];
      const total = names.reduce((sum, name) => sum + weights[name], 0);
      let left = next() * total;
      return names.find((name) => (left -= weights[name]) < 0) ?? names[0];
    },
  };
}
