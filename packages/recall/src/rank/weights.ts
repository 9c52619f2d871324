/**
 * How much each sign counts. How the values came about, and how far to trust them: `docs/decisions/0072-ranking.md`.
 */
export interface Weights {
  /** Share of its score that the entry before lends, then the one before that. */
  readonly before: readonly number[];
  /** Share of its score that the entry after lends, then the one after that. */
  readonly after: readonly number[];
  /** Having many of the query's words, alone and together with its neighbours. */
  readonly coverage: number;
  readonly windowCoverage: number;
  /** Belonging to the thread that has most of the query's words. */
  readonly thread: number;
  /** Being said by somebody whom the query names. */
  readonly speaker: number;
  /** Saying when, if the query asks when. */
  readonly tellsTime: number;
  /** Matching a date of the query. */
  readonly date: number;
  /** Weight of a matching date for an entry that has none of the query's words. */
  readonly dateAlone: number;
  /** Deduction for an entry that only asks. */
  readonly asks: number;
  /** Weight of the best similarity beside the best match by words. */
  readonly vector: number;
}

export const WEIGHTS: Weights = {
  before: [0.5, 0.2],
  after: [0.3, 0.2],
  coverage: 0.3,
  windowCoverage: 1,
  thread: 0.5,
  speaker: 0.2,
  tellsTime: 0.5,
  date: 0.5,
  dateAlone: 0.2,
  asks: 0.1,
  vector: 0.2,
};

const CANDIDATES = 40;

/** How many of the best entries by words alone are ranked again with all signs. */
export function candidatesFor(limit: number): number {
  return Math.max(CANDIDATES, 2 * limit);
}

/** How many entries on either side can lend weight. */
export const REACH = 2;
/** Neighbours further apart in time than this were not said together. */
export const TOGETHER_MS: number = 6 * 3_600_000;
