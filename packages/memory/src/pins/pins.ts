import type { Actor, StreamEvent, TextFeatures, TextReader } from "@ikigai/core";
import type { JournalFields } from "../journal/journal.ts";

/** A text that stays in an agent's context. */
export interface Pin {
  readonly uri: string;
  /** Owner of the text. */
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
 * What an agent keeps in its context, and what that may cost.
 *
 * Contract: the sum never exceeds the limit.
 */
export interface Pins {
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

/** Which state of which asset it is. */
export interface AssetState extends AssetEntry {
  readonly owner: string;
  /** Never given to another text of this path. */
  readonly version: string;
}

export interface StoredAsset extends AssetState {
  readonly text: string;
}

/** One asset, and how the agent that looks at it stands to it. */
export interface FoundAsset extends AssetState {
  readonly pinned: boolean;
}

/** A change of an asset: its text, its fields, or both. */
export interface AssetEdit {
  readonly text?: string;
  readonly fields?: JournalFields;
  /** The version it rests on; `null`: there must be none. Absent: whatever it is. */
  readonly expected?: string | null;
  readonly reason?: string;
  /** The entry of the journal that this change takes back. Absent: it takes none back. */
  readonly undoes?: string;
}

/** The stored assets as commands need them. */
export interface AssetIndex {
  /** Contract: archived ones only when they are asked for. */
  list(agent: string, prefix: string, options?: { readonly archived?: boolean }): AsyncIterable<AssetEntry>;
  /** One asset, archived or not. */
  find(agent: string, path: string): Promise<FoundAsset | undefined>;
  /**
   * Changes an asset in one step, and writes it down in the journal.
   *
   * Contract: `not_found` without a text where there is no asset; `conflict` when it is not as expected;
   * `over_budget` says what could be unpinned and what that would free. What is so already is no change.
   */
  change(path: string, edit: AssetEdit, actor: Actor): Promise<void>;
}

/** How far a reader of changes is, and when it stops. */
export interface AssetChangesOptions {
  readonly signal: AbortSignal;
  /** Absent: only what is changed from now on. */
  readonly after?: string;
}

/** The stored assets: of every agent, each seeing its own and those shared with it. */
export interface Assets extends AssetIndex {
  /** The assets as a source of texts; a call without an actor means those of `owner`. */
  open(owner: string): TextReader & TextFeatures;
  read(agent: string, path: string): Promise<StoredAsset | undefined>;
  list(agent: string, prefix: string, options?: { readonly archived?: boolean }): AsyncIterable<AssetState>;
  /**
   * What is done to the assets that an agent can see.
   *
   * Contract: ends when `signal` aborts, without throwing. The data of an event has the `path`, and as `own` whether
   * this program did it.
   */
  changes(agent: string, options: AssetChangesOptions): AsyncIterable<StreamEvent>;
  /** Where the changes that an agent can see stand now: a cursor of {@link changes}. */
  position(agent: string): Promise<string>;
}
