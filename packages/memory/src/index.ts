export { type AuditRow, type AuditSink, createAudit, fileSink, readAuditFile } from "./audit/audit.ts";
export type { BudgetGuard } from "./blocks/block-operations.ts";
export type { AskReconcile } from "./blocks/sources/reconcile-block.ts";
export type { AgentView, BlockRecord, BlockStore, StoredBytes, VisibleBlock } from "./blocks/block-store.ts";
export { createBlockTools } from "./tools/block-tools.ts";
export { type BlockService, blockTarget, createBlocks } from "./blocks/blocks.ts";
export { setAsideFile, setAsideFiles } from "./line-files/bounded-line-file.ts";
export { commonEnds } from "./text/common-ends.ts";
export { createFileJournal, readJournalFile } from "./journal/file-journal.ts";
export { createFileTools } from "./files/file-tools.ts";
export { type CutText, cutText, MIN_CUT_CHARS } from "./kept-text/cut-text.ts";
export { joinText } from "./kept-text/join-text.ts";
export { type ChunkPacking, keysOf, packChunk, type StoredChunk, type TextChunk } from "./kept-text/text-chunk.ts";
export { parseRow, readLines } from "./line-files/line-file.ts";
export { createMemoryBlockStore } from "./blocks/memory-block-store.ts";
export { commandArguments, commandLine, commandWords } from "./commands/command-words.ts";
export type { CommandContext } from "./commands/command-context.ts";
export { createCommands } from "./commands/create-commands.ts";
export { describeRecord } from "./commands/show-record.ts";
export { nextToUndo } from "./commands/take-back.ts";
export { describeStoreCommands, storeCommands } from "./commands/store-commands.ts";
export { journalledUris } from "./journal/changed-path.ts";
export {
  type Journal,
  type JournalEntry,
  type JournalFields,
  type JournalRecord,
  type JournalState,
  undoReason,
} from "./journal/journal.ts";
export { journalledSource } from "./journal/journalled-source.ts";
export { createMemoryJournal } from "./journal/memory-journal.ts";
export type { AssetEntry, AssetIndex, Assets, BudgetStatus, Pin, Pins } from "./pins/pins.ts";
export type { ApprovalRequestRow, ApprovalRequests } from "./store/approval-requests.ts";
export { createAssetSource } from "./store/assets/asset-source.ts";
export { type AuditLog, type AuditQuery, readAuditRows } from "./store/audit-log.ts";
export { toBudgetStatus } from "./pins/budget-status.ts";
export { createFileStore } from "./store/file-store.ts";
export { overBudget } from "./pins/over-budget.ts";
export { type FileStoreContent, hasFileStore, takeFileStore } from "./store/take-file-store.ts";
export type { PrunedRows, PruneOptions, Retention } from "./store/retention.ts";
export type { RefusedRows, Store } from "./store/store.ts";
export type { StreamPositions } from "./store/stream-positions.ts";
export { storableRow } from "./audit/storable-row.ts";
export { storableName, storableText } from "./audit/storable-text.ts";
export { createShortPlaces } from "./addresses/short-places.ts";
export { createHistoryTools } from "./tools/history-tools.ts";
export { createSlashCommandTool } from "./tools/slash-command.ts";
