const K1 = 1.2;
const B = 0.5;
/** The length at which an entry is neither favoured nor held back, in words. */
const PIVOT = 25;
const SCALE = 1_000;

/**
 * How much a term that occurs `count` times in an entry of `length` words counts: BM25 without the rarity.
 *
 * A whole number that depends on nothing but the entry, so that it is stored once and every engine adds up the same.
 * The pivot is fixed where BM25 uses the mean length: measured no worse on turns of conversations and on abstracts.
 */
export function impactOf(count: number, length: number): number {
  const norm = 1 - B + (B * length) / PIVOT;
  return Math.max(1, Math.round((SCALE * count * (K1 + 1)) / (count + K1 * norm)));
}

/** How much more a rare term counts than a common one, as a whole number. */
export function rarityOf(withTerm: number, entries: number): number {
  const found = Math.min(withTerm, entries);
  return Math.max(1, Math.round(SCALE * Math.log(1 + (entries - found + 0.5) / (found + 0.5))));
}
