export { announceAct } from "./announce-act.ts";
export {
  type ApprovalRequestRow,
  type ApprovalRequests,
  createApprovalRequests,
  type NewApprovalRequest,
  type RequestAnswer,
} from "./approval-requests.ts";
export { type AssetHookOptions, createAssetHook, type StoredChange } from "./asset-hook.ts";
export { type AuditQuery, databaseSink, readAudit, type TakeInOptions, takeInSpool } from "./audit.ts";
export { type BlockBudget, type BlockBudgetOptions, blockUri, createBlockBudget } from "./block-budget.ts";
export { createBlockStore } from "./block-store.ts";
export {
  type Budget,
  type BudgetOptions,
  type BudgetStatus,
  createBudget,
  type Pin,
  type PinRequest,
  type Resize,
} from "./budget.ts";
export {
  type Conversations,
  type ConversationsOptions,
  createConversations,
  type StoredConversation,
  type StoredMessage,
} from "./conversations.ts";
export {
  createJournal,
  diffOf,
  type HistoryOptions,
  type Journal,
  type JournalEntry,
  type JournalFields,
  type JournalRecord,
  type JournalState,
  type PrunedHistory,
  type UndoPlan,
  undoPlan,
} from "./journal.ts";
export type { StoredManifest } from "./manifest-delta.ts";
export type { ManifestQuery, RecordedManifest } from "./manifests.ts";
export { storeMigrations } from "./migrations.ts";
export { createNoteRows, type NoteRows } from "./note-rows.ts";
export { createNoteVectors, type NoteVectors } from "./note-vectors.ts";
export { readRefused, type RefusedRows } from "./refused-rows.ts";
export { type Keep, type PrunedRows, type PruneOptions, pruneStore, type Retention } from "./retention.ts";
export { createStreamCursors, type StreamCursors } from "./stream-cursors.ts";
export { takeInJournal } from "./take-in-journal.ts";
export { exportStore, importStore, storeTables, type TransferTable } from "./transfer.ts";
