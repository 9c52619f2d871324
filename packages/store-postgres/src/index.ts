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
export { type Budget, type BudgetOptions, createBudget, type PinRequest, type Resize } from "./budget.ts";
export { type ConversationsOptions, createConversations } from "./conversations.ts";
export { createJournal, type PostgresJournal } from "./journal.ts";
export { storeMigrations } from "./migrations.ts";
export { createNoteRows, type NoteRows } from "./note-rows.ts";
export { createNoteVectors, type NoteVectors } from "./note-vectors.ts";
export { readRefused, type RefusedRows } from "./refused-rows.ts";
export { type Keep, type PrunedRows, type PruneOptions, pruneStore, type Retention } from "./retention.ts";
export { createStreamCursors, type StreamCursors } from "./stream-cursors.ts";
export { takeInJournal } from "./take-in-journal.ts";
export { exportStore, importStore, storeTables, type TransferTable } from "./transfer.ts";
