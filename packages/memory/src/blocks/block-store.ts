import type { MemoryPermission } from "@ikigai/core";
import type { BlockType } from "@ikigai/core/host";
import type { BlockSchema } from "./block-schema.ts";

/** Which state of a document is meant: its frontiers, as text. */
export type Frontiers = string;

/** Where a block's text comes from, and the state of the document that equals it. */
export interface BlockOrigin {
  readonly uri: string;
  /** The version of the source; `null` once it is known to have been removed. */
  readonly version: string | null;
  readonly frontiers: Frontiers;
  /** Digest of the source's text, to tell quickly whether the block differs. */
  readonly digest: string;
}

/** One edit that can be taken back: the states around it. */
export interface EditStep {
  readonly before: Frontiers;
  readonly after: Frontiers;
  /** What the block came from at `before`, when the step changed that; `null` when from nothing. */
  readonly origin?: BlockOrigin | null;
}

/** Everything that is kept of a block but its document. Plain JSON. */
export interface BlockRecord {
  readonly id: string;
  readonly owner: string;
  /** Unique per owner. */
  readonly label: string;
  readonly type: BlockType;
  readonly schema: BlockSchema;
  readonly permission: MemoryPermission;
  readonly description?: string;
  readonly origin?: BlockOrigin;
  readonly undo: readonly EditStep[];
  readonly redo: readonly EditStep[];
  /** Grows by one with every commit. */
  readonly revision: number;
}

/** A block as one agent sees it. */
export interface VisibleBlock {
  readonly record: BlockRecord;
  /** Present when another agent owns it: how far it was shared. */
  readonly shared?: MemoryPermission;
}

/** What changed a document, with the bytes that make the same change to a replica. */
export interface BlockChangeRow {
  readonly at: Date;
  readonly agent: string;
  readonly operation: string;
  /** The state after the change. */
  readonly frontiers: Frontiers;
}

/** A snapshot or an update, opaque to the store, and the revision of the record that it belongs to. */
export interface StoredBytes {
  readonly revision: number;
  readonly bytes: Uint8Array;
}

export interface StoredDocument {
  /** The kept snapshots, newest first: the present one and the one before it. */
  readonly snapshots: readonly StoredBytes[];
  /** Every update behind the oldest kept snapshot, oldest first. */
  readonly updates: readonly StoredBytes[];
}

export interface BlockCommit {
  readonly id: string;
  /** The revision that the change was made on. */
  readonly expected: number;
  /** Fields of the record that change. `origin: null` removes the origin. */
  readonly set: Partial<Pick<BlockRecord, "type" | "permission" | "undo" | "redo">> & {
    readonly origin?: BlockOrigin | null;
  };
  /** What changed in the document, when something did. */
  readonly change?: BlockChangeRow & { readonly bytes: Uint8Array };
}

export interface Viewport {
  readonly start_line: number;
  readonly display_lines: number;
}

/** How one agent holds a block in its context. */
export interface AgentView {
  readonly pinned: boolean;
  readonly viewport?: Viewport;
}

/** A new block, with the snapshot of its document. */
export interface NewBlock {
  readonly record: Omit<BlockRecord, "revision" | "undo" | "redo">;
  readonly change: BlockChangeRow;
  readonly snapshot: Uint8Array;
}

/**
 * Where blocks are kept.
 *
 * Contract: each method is one transaction, also between processes. What was given to it is not kept by reference and
 * what it gives is not changed later. Absent blocks reject with `not_found`.
 */
export interface BlockStore {
  /** Contract: rejects with `conflict` when the owner already has a block of that label. Revision 0. */
  create(block: NewBlock): Promise<BlockRecord>;
  /** The blocks of that label that the agent owns or that are shared with it, its own first. */
  find(agent: string, label: string): Promise<readonly VisibleBlock[]>;
  /** All that the agent owns or that is shared with it, by label. */
  list(agent: string): Promise<readonly VisibleBlock[]>;
  /** The blocks of every owner whose text comes from `uri`. */
  listByOrigin(uri: string): Promise<readonly BlockRecord[]>;
  load(id: string): Promise<StoredDocument>;
  /** The updates behind `revision`, oldest first; `undefined` when some of them were compacted away. */
  updatesAfter(id: string, revision: number): Promise<readonly StoredBytes[] | undefined>;
  /** Contract: all or nothing; rejects with `conflict` when the record is not at `expected` any more. */
  commit(commit: BlockCommit): Promise<BlockRecord>;
  /** Keeps a snapshot, and the one before it with the updates behind that. Older bytes go; the history stays. */
  compact(id: string, snapshot: StoredBytes): Promise<void>;
  /** Newest first. */
  history(id: string, limit: number): Promise<readonly BlockChangeRow[]>;
  /** Contract: `permission: undefined` ends the sharing. Resolves to whether anything changed. */
  share(id: string, agent: string, permission: MemoryPermission | undefined): Promise<boolean>;
  view(agent: string, id: string): Promise<AgentView>;
  setView(agent: string, id: string, view: AgentView): Promise<void>;
}
