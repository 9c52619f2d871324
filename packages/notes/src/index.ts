export { checkVault, type CheckedLink, type CheckVaultOptions } from "./check/check-vault.ts";
export { createNoteGraph, type GraphLink, type NoteGraph } from "./index-store/note-graph.ts";
export { createNoteIndex } from "./index-store/create-note-index.ts";
export type {
  IndexProgress,
  IndexReport,
  NoteIndex,
  NoteIndexOptions,
  RefreshOptions,
} from "./index-store/note-index.ts";
export { createMemoryNoteIndexStore, type NoteIndexStore } from "./index-store/note-index-store.ts";
export { noteRowCodec, type NoteRowCodec } from "./index-store/note-row-codec.ts";
export type { NoteLink, NoteRow } from "./index-store/note-row.ts";
export type { ScannedBlock, ScannedHeading, ScannedLink, ScannedTag } from "./markdown/scan.ts";
export { parseWikilink, type WikilinkParts } from "./markdown/wikilink.ts";
export { appendText, findReplace, replaceBody, replaceSection } from "./note/edit-body.ts";
export { editProperties, type PropertyChanges } from "./note/edit-properties.ts";
export { addTag, removeTag } from "./note/edit-tags.ts";
export { type Note, parseNote, serialiseNote } from "./note/note.ts";
export { type NoteScan, scanNote } from "./note/scan-note.ts";
export type { Properties } from "./note/simple-yaml.ts";
export { findReferences, type FindReferencesOptions, type TextReference } from "./references/find-references.ts";
export { referencesTo, type ReferencesToOptions, type Referrer } from "./references/references-to.ts";
export {
  createMemoryIntentStore,
  createSourceIntentStore,
  type IntentFile,
  type IntentStore,
  type LinkChange,
  type RenameIntent,
} from "./rename/intent-store.ts";
export { type RecoveredRename, recoverRenames } from "./rename/recover-renames.ts";
export { createKnowledgeRepository } from "./repository/create-repository.ts";
export type {
  KnowledgeRepository,
  KnowledgeRepositoryOptions,
  LinkEnd,
  NoteLocation,
  NoteMetadata,
  NoteMetadataFull,
  ReadNote,
  RelatedNote,
  Relation,
  RelationReason,
  RenamedNote,
  RenameOptions,
  SearchResult,
  TagInfo,
  UpdateOptions,
  WrittenNote,
} from "./repository/knowledge-repository.ts";
export { createLinkTargets, type LinkTarget, type LinkTargets } from "./resolve/link-targets.ts";
export {
  createNoteResolver,
  type NoteCandidate,
  type NoteResolver,
  type ResolvedNote,
} from "./resolve/note-resolver.ts";
export { type NoteReference, parseReference } from "./resolve/reference.ts";
export type { EmbedProgress, NoteVectorStore, StoredVector } from "./search/note-vectors.ts";
export type { PropertyCondition, PropertyFilter, PropertyValue } from "./search/property-filter.ts";
export { createNoteTools, type NoteToolsOptions } from "./tools/create-note-tools.ts";
