export { createAssetHook } from "./asset-hook.ts";
export { createBudget } from "./budget/budget.ts";
export { createJournal } from "./journal/journal.ts";
export { storeMigrations } from "./migrations.ts";
export { createNoteRows } from "./notes/note-rows.ts";
export { createNoteVectors } from "./notes/note-vectors.ts";
export { type AssetTable, createPostgresStore, type PostgresStore, readAllRefused } from "./postgres-store.ts";
export { takeInFiles } from "./waiting/take-in-files.ts";
export { exportStore, importStore, storeTables, type TransferTable } from "./transfer.ts";
