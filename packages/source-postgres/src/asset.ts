import type { Actor, MemoryPermission } from "@ikigai/core";
import type { AssetCategory, AssetDetails } from "@ikigai/core/assets";
import type { Transaction } from "@ikigai/database";

/** What is known of an asset without its text. */
export interface AssetInfo {
  readonly owner: string;
  readonly path: string;
  /** Grows with every change of its owner's assets; never used twice for a path. */
  readonly version: string;
  /** Counted when it was written. */
  readonly tokens: number;
  readonly bytes: number;
  readonly category: AssetCategory;
  readonly description: string;
  readonly readOnly: boolean;
  /** Whether the asset is left out of lists; it can still be read. */
  readonly archived: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Present when another agent owns it. */
  readonly shared?: MemoryPermission;
}

/** What to change of an asset. */
export interface AssetUpdate {
  readonly text?: string;
  readonly details?: AssetDetails;
  /** Whether whoever changes it wants it pinned from now on. The hook that keeps pins does it. */
  readonly pinned?: boolean;
}

export interface Asset extends AssetInfo {
  readonly text: string;
}

/** One side of a change. */
export interface AssetState {
  readonly text: string;
  readonly version: string;
  readonly tokens: number;
}

/** A change that is about to be committed. One of details alone has the same version on both sides. */
export interface AssetChange {
  readonly owner: string;
  readonly path: string;
  /** Absent: it is new. */
  readonly before?: AssetState;
  /** Absent: it is removed. */
  readonly after?: AssetState;
  /** The details that change with it, and nothing else. */
  readonly details?: { readonly before: AssetDetails; readonly after: AssetDetails };
  /** As in {@link AssetUpdate}. */
  readonly pinned?: boolean;
  /** The agent that makes the change. */
  readonly agent: string;
  readonly actor?: Actor;
  readonly reason?: string;
  /** The entry of the journal that this change takes back. Absent: it takes none back. */
  readonly undoes?: string;
}

/**
 * Takes part in the transaction of a change: a budget that refuses it, a journal that records it.
 *
 * Contract: what it throws undoes the change and reaches the caller. It may run several times for one change, so it
 * touches nothing but `tx`.
 */
export type AssetHook = (tx: Transaction, change: AssetChange) => Promise<void>;
