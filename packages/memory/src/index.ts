export { type AuditRow, type AuditSink, createAudit, fileSink, readAuditFile } from "./audit.ts";
export type { BudgetGuard } from "./block-operations.ts";
export type { AskReconcile } from "./block-sources.ts";
export type { AgentView, BlockRecord, BlockStore, StoredBytes, VisibleBlock } from "./block-store.ts";
export { createBlockTools } from "./block-tools.ts";
export { type BlockService, blockTarget, createBlocks } from "./blocks.ts";
export { setAsideFile, setAsideFiles } from "./bounded-line-file.ts";
export { commonEnds } from "./common-ends.ts";
export { createFileJournal, readJournalFile } from "./file-journal.ts";
export { createFileTools } from "./file-tools.ts";
export { type CutText, cutText, MIN_CUT_CHARS } from "./kept-text/cut-text.ts";
export { joinText } from "./kept-text/join-text.ts";
export { type ChunkPacking, keysOf, packChunk, type StoredChunk, type TextChunk } from "./kept-text/text-chunk.ts";
export { parseRow, readLines } from "./line-file.ts";
export { createMemoryBlockStore } from "./memory-block-store.ts";
export { commandArguments, commandLine, commandWords } from "./commands/command-words.ts";
export type { CommandContext } from "./commands/command-context.ts";
export { createCommands } from "./commands/create-commands.ts";
export { describeRecord } from "./commands/show-record.ts";
export { nextToUndo } from "./commands/take-back.ts";
export { describeStoreCommands, storeCommands } from "./commands/store-commands.ts";
export { journalledUris } from "./changed-path.ts";
export {
  type Journal,
  type JournalEntry,
  type JournalFields,
  type JournalRecord,
  type JournalState,
  undoReason,
} from "./journal.ts";
export { journalledSource } from "./journalled-source.ts";
export { createMemoryJournal } from "./memory-journal.ts";
export type { AssetEntry, AssetIndex, Assets, BudgetStatus, Pin, Pins } from "./pins.ts";
export type { ApprovalRequestRow, ApprovalRequests } from "./store/approval-requests.ts";
export { createAssetSource } from "./store/asset-source.ts";
export { type AuditLog, type AuditQuery, readAuditRows } from "./store/audit-log.ts";
export { toBudgetStatus } from "./store/budget-status.ts";
export { createFileStore } from "./store/file-store.ts";
export { overBudget } from "./store/over-budget.ts";
export { type FileStoreContent, hasFileStore, takeFileStore } from "./store/take-file-store.ts";
export type { PrunedRows, PruneOptions, Retention } from "./store/retention.ts";
export type { RefusedRows, Store } from "./store/store.ts";
export type { StreamPositions } from "./store/stream-positions.ts";
export { storableRow } from "./storable-row.ts";
export { storableName, storableText } from "./storable-text.ts";
export { createShortPlaces } from "./short-places.ts";
export { createHistoryTools } from "./tools/history-tools.ts";
export { createSlashCommandTool } from "./tools/slash-command.ts";
