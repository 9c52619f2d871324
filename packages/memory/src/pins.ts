/** A text that stays in an agent's context. */
export interface Pin {
  readonly uri: string;
  /** Whose text it is. */
  readonly owner: string;
  readonly tokens: number;
  readonly version: string;
  /** Whether it grew past the budget by another's doing: then the context keeps this version. */
  readonly behind: boolean;
}

export interface BudgetStatus {
  readonly pinned: number;
  readonly limit: number;
  /** Warning from 80 %, critical from 95 %. */
  readonly level: "fine" | "warning" | "critical";
  readonly pins: readonly Pin[];
}

/**
 * Which assets an agent keeps in its context, and what they may cost together.
 *
 * Contract: the sum never exceeds the limit; `over_budget` says what could be unpinned and what that would free.
 */
export interface Pins {
  /** Contract: `not_found` when there is no such asset; pinning again is no error. */
  pin(agent: string, uri: string): Promise<void>;
  /** Contract: false when it was not pinned. */
  unpin(agent: string, uri: string): Promise<boolean>;
  status(agent: string): Promise<BudgetStatus>;
  setLimit(agent: string, tokens: number): Promise<void>;
}

/** What is known of a stored asset without its text. */
export interface AssetEntry {
  readonly path: string;
  readonly tokens: number;
  readonly category: string;
  readonly description: string;
  readonly readOnly: boolean;
  readonly archived: boolean;
  readonly updatedAt: Date;
}

/** The stored assets as commands need them. */
export interface Assets {
  list(agent: string, prefix: string): AsyncIterable<AssetEntry>;
  /** Leaves an asset out of lists, or brings it back. It stays readable. */
  setArchived(agent: string, path: string, archived: boolean): Promise<void>;
}
