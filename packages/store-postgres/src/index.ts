export { createApprovalRequests } from "./approval-requests.ts";
export { type AssetHookOptions, createAssetHook, type StoredChange } from "./asset-hook.ts";
export { databaseSink, readAudit, type TakeInOptions, takeInSpool } from "./audit.ts";
export { type BlockBudget, type BlockBudgetOptions, blockUri, createBlockBudget } from "./block-budget.ts";
export { createBlockStore } from "./block-store.ts";
export { type Budget, type BudgetOptions, createBudget, type PinRequest, type Resize } from "./budget.ts";
export { type ConversationsOptions, createConversations } from "./conversations.ts";
export { createJournal, type PostgresJournal } from "./journal.ts";
export { storeMigrations } from "./migrations.ts";
export { createNoteRows, type NoteRows } from "./note-rows.ts";
export { createNoteVectors, type NoteVectors } from "./note-vectors.ts";
export {
  type AssetTable,
  createPostgresStore,
  type PostgresStore,
  type PostgresStoreOptions,
  readAllRefused,
} from "./postgres-store.ts";
export { readRefused } from "./refused-rows.ts";
export { pruneStore } from "./retention.ts";
export { createStreamPositions } from "./stream-positions.ts";
export { takeInFiles } from "./take-in-files.ts";
export { takeInJournal } from "./take-in-journal.ts";
export { exportStore, importStore, storeTables, type TransferTable } from "./transfer.ts";
