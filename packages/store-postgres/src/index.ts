export { createAssetHook } from "./asset-hook.ts";
export { createBudget } from "./budget.ts";
export { createJournal } from "./journal.ts";
export { storeMigrations } from "./migrations.ts";
export { createNoteRows } from "./note-rows.ts";
export { createNoteVectors } from "./note-vectors.ts";
export { type AssetTable, createPostgresStore, type PostgresStore, readAllRefused } from "./postgres-store.ts";
export { takeInFiles } from "./take-in-files.ts";
export { exportStore, importStore, storeTables, type TransferTable } from "./transfer.ts";
