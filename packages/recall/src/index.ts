export type {
  Inserted,
  Metadata,
  MirroredText,
  NewEntry,
  Provenance,
  RecallCall,
  RecallEmbedding,
  RecallEntry,
  RecallHit,
  RecallKind,
  RecallReason,
  RecallStatus,
  RecallStore,
  ScanOptions,
  SearchRequest,
  Tombstone,
} from "./contract.ts";
export { createEnergeticEmbedder, type EnergeticEmbedderOptions } from "./embed/energetic-embedder.ts";
export { createHttpEmbedder, type HttpEmbedderOptions } from "./embed/http-embedder.ts";
export { createTransformersEmbedder, type TransformersEmbedderOptions } from "./embed/transformers-embedder.ts";
export { embedPending, type EmbedPendingOptions } from "./embed/embed-pending.ts";
export { keepEmbedding, type KeepEmbeddingOptions, type KeptEmbedding } from "./embed/keep-embedding.ts";
export type { FieldCondition, MetadataFilter, Scalar } from "./filter.ts";
export { createMemoryRecall, type MemoryRecallOptions } from "./memory/memory-recall.ts";
export { type RecallMigration, recallMigrations, recallTables } from "./postgres/migrations.ts";
export { createPostgresRecall, type PostgresRecallOptions } from "./postgres/postgres-recall.ts";
export type { Sql, SqlClient } from "./postgres/sql-client.ts";
export { createRecallTool, type InsertData, type RecallToolOptions, type SearchData } from "./recall-tool.ts";
export type { HitData } from "./recall-answer.ts";
export { type ExportOptions, exportEntries } from "./transfer/export-entries.ts";
export { importEntries, type ImportOptions, type ImportProgress } from "./transfer/import-entries.ts";
export { reindexRecall, type ReindexOptions } from "./postgres/reindex.ts";
export { type Original, refreshCopies } from "./refresh-copies.ts";
export { createVectorIndex } from "./postgres/vector-index.ts";
