import type { DaySpan } from "../time/day.ts";

/** An entry that may be a result, with all that ranking looks at. Engines fill it; one function ranks it. */
export interface PoolEntry {
  readonly id: string;
  /** Sum over the query's terms of rarity × impact. */
  readonly words: number;
  /** Bit i is set when the entry has the query's term i. */
  readonly mask: number;
  readonly thread?: string;
  /** When it happened, in milliseconds, if that is known. */
  readonly occurredAt?: number;
  readonly createdAt: number;
  readonly speaker: readonly string[];
  readonly asks: boolean;
  readonly tellsTime: boolean;
  readonly dates: readonly DaySpan[];
  /** False for a neighbour that lends weight but is not asked for. */
  readonly eligible: boolean;
  /** Similarity of meaning, -1 to 1. */
  readonly vector?: number;
}

/** `to` stands `offset` places after `from` in their thread. */
export interface PoolLink {
  readonly from: string;
  readonly to: string;
  readonly offset: number;
}

/** The best entries by words, their neighbours, and how they stand to each other. */
export interface Pool {
  readonly entries: readonly PoolEntry[];
  readonly links: readonly PoolLink[];
}
