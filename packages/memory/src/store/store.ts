import type { Conversations, StoredManifest, StoredMessage } from "@ikigai/core/host";
import type { BudgetGuard } from "../blocks/block-operations.ts";
import type { BlockStore } from "../blocks/block-store.ts";
import type { Journal } from "../journal/journal.ts";
import type { Assets, Pins } from "../pins/pins.ts";
import type { ApprovalRequests } from "./approval-requests.ts";
import type { AuditLog } from "./audit-log.ts";
import type { PrunedRows, PruneOptions, Retention } from "./retention.ts";
import type { StreamPositions } from "./stream-positions.ts";

/** Rows of a file that a store did not take, and where they were set aside. */
export interface RefusedRows {
  readonly file: string;
  readonly rows: number;
  /** Why the first of them was refused. */
  readonly reason: string;
}

/**
 * Everything that outlives the process: blocks, pins and their budget, assets, history, audit, conversations.
 *
 * Contract: several processes may use the same store at once; what resolves is safe. A change whose text is pinned is
 * checked against the budget of its agent in the same transaction. Whoever opens a store closes it.
 * `testStore` of `@ikigai/memory/testing` proves an implementation.
 */
export interface Store<
  Message extends StoredMessage = StoredMessage,
  Manifest extends StoredManifest = StoredManifest,
> {
  readonly blocks: BlockStore;
  /** Measures a block's text before it is pinned or changed while it is pinned, since only the block service knows it. */
  readonly guard: BudgetGuard;
  readonly pins: Pins;
  /** Absent: this store keeps no assets. */
  readonly assets: Assets | undefined;
  readonly journal: Journal;
  readonly audit: AuditLog;
  readonly approvals: ApprovalRequests;
  readonly conversations: Conversations<Message, Manifest>;
  readonly positions: StreamPositions;
  /** Lets go of what the user no longer wants to keep. */
  prune(retention: Retention, options?: PruneOptions): Promise<PrunedRows>;
  /** Rows and entries that the store did not take, by the files that they are set aside in. */
  refused(): Promise<readonly RefusedRows[]>;
  close(): Promise<void>;
}
