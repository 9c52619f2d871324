import type { SourceCallOptions } from "@ikigai/core";
import type { Embedder, SourceManager, VectorStore } from "@ikigai/core/host";
import type { NoteIndex } from "../index-store/note-index.ts";
import type { Note } from "../note/note.ts";
import type { Properties } from "../note/simple-yaml.ts";
import type { IntentStore } from "../rename/intent-store.ts";
import type { NoteResolver, ResolvedNote } from "../resolve/note-resolver.ts";
import type { PropertyFilter } from "../search/property-filter.ts";
import type { EmbedProgress } from "../search/note-vectors.ts";

/** Where a note lies. A {@link ResolvedNote} is one. */
export interface NoteLocation {
  readonly uri: string;
}

/** A note that was read. */
export interface ReadNote extends Note {
  readonly location: ResolvedNote;
  readonly text: string;
  readonly version: string;
}

/** What is known of a note without reading it. */
export interface NoteMetadata {
  readonly name: string;
  readonly uri: string;
  readonly title?: string;
  readonly tags: readonly string[];
  readonly bytes?: number;
  readonly modifiedAt?: Date;
}

export interface LinkEnd {
  readonly name: string;
  readonly uri: string;
  /** How many links there are between the two. */
  readonly count: number;
}

export interface NoteMetadataFull extends NoteMetadata {
  readonly version: string;
  readonly aliases: readonly string[];
  readonly properties: Properties;
  readonly headings: readonly { readonly level: number; readonly text: string }[];
  readonly blocks: readonly string[];
  readonly backlinks: readonly LinkEnd[];
  readonly forwardLinks: readonly LinkEnd[];
  /** Links that lead nowhere, as written. */
  readonly unresolvedLinks: readonly string[];
  /** The oldest time that the source's history knows; absent without a history. */
  readonly createdAt?: Date;
  /** Why the front matter could not be read. */
  readonly problem?: string;
}

export interface SearchResult extends NoteMetadata {
  readonly score: number;
  readonly snippet?: string;
}

export type RelationReason = "backlink_from" | "forwardlink_to" | "shared_tag" | "similar_text" | "similar_meaning";

export interface Relation {
  readonly reason: RelationReason;
  /** Strength of the relation, from 0 to 1. */
  readonly score: number;
  /** The tag that is shared. */
  readonly tag?: string;
}

export interface RelatedNote extends NoteMetadata {
  /** All relations together, from 0 to 1. */
  readonly score: number;
  readonly relations: readonly Relation[];
}

export interface TagInfo {
  readonly tag: string;
  /** Notes with the tag or one below it. */
  readonly count: number;
  readonly parent?: string;
}

export interface WrittenNote {
  readonly uri: string;
  readonly version: string;
  /** Whether the text differs from before. */
  readonly changed: boolean;
  /** The version that was edited. Absent: the note is new. */
  readonly replaced?: string;
}

export interface RenamedNote {
  readonly from: string;
  readonly to: string;
  readonly version: string;
  /** Other notes whose links were rewritten. */
  readonly rewritten: readonly string[];
  /** Notes that link to it and cannot be changed, such as those of a commit; their links keep the old name. */
  readonly unwritable: readonly string[];
}

export interface UpdateOptions extends SourceCallOptions {
  /** The version the caller last saw; another one is a `conflict`. Absent: the edit is made on what is there. */
  readonly expected?: string;
}

export interface RenameOptions extends SourceCallOptions {
  /**
   * Called with the other notes that are about to be written. Contract: rejecting stops the rename before its
   * first write.
   */
  readonly permit?: (uris: readonly string[]) => Promise<void>;
}

/**
 * Notes by name, over every mounted source.
 *
 * Contract: every write is a compare-and-swap on the version that was read; an edit that meets a concurrent one is
 * made again on the new text, and nothing is lost. Errors are `IkigaiError`.
 */
export interface KnowledgeRepository {
  readonly resolver: NoteResolver;
  /** The mounts whose notes are known. */
  mounts(): readonly string[];
  /** The note that `reference` means. Contract: `undefined` for an unknown name; `ambiguous` throws. */
  getNoteByName(reference: string, options?: SourceCallOptions): Promise<ReadNote | undefined>;
  /** Like `getNoteByName`, and an unknown name is `not_found`. */
  readNote(reference: string, options?: SourceCallOptions): Promise<ReadNote>;
  /** Notes by address, ascending; `path` is a folder or an address. */
  listNotes(path?: string): Promise<readonly NoteMetadata[]>;
  /** Where a new note of that name goes. Contract: `conflict` when something lies there. */
  locate(name: string, folder?: string): Promise<NoteLocation>;
  createNote(location: NoteLocation, content: string, options?: SourceCallOptions): Promise<WrittenNote>;
  /** `edit` is the new text, or makes it of the old one; it may be called several times. */
  updateNote(
    location: NoteLocation,
    edit: string | ((text: string) => string),
    options?: UpdateOptions,
  ): Promise<WrittenNote>;
  deleteNote(location: NoteLocation, options?: UpdateOptions): Promise<void>;
  /** Moves a note and rewrites the links to it in every note that can be changed, all or none. */
  renameNote(location: NoteLocation, to: NoteLocation, options?: RenameOptions): Promise<RenamedNote>;
  /** Addresses that `renameNote` would write. */
  renameTouches(location: NoteLocation, to: NoteLocation): Promise<readonly string[]>;
  getMetadata(location: NoteLocation, options?: SourceCallOptions): Promise<NoteMetadataFull>;
  findRelated(location: NoteLocation, limit?: number, options?: SourceCallOptions): Promise<readonly RelatedNote[]>;
  searchText(query: string, limit?: number, options?: SourceCallOptions): Promise<readonly SearchResult[]>;
  /** Notes near a vector, or near a text. Contract: `unsupported` without an embedder. */
  searchVectors(
    query: readonly number[] | string,
    limit?: number,
    options?: SourceCallOptions,
  ): Promise<readonly SearchResult[]>;
  /** Embeds what has no vector yet, so that nobody has to wait for it. Contract: does nothing without an embedder. */
  embedNotes(options?: SourceCallOptions): Promise<void>;
  /** Notes with all tags (or any); a tag finds those below it. */
  searchByTags(tags: readonly string[], match?: "all" | "any"): Promise<readonly SearchResult[]>;
  searchByProperties(filter: PropertyFilter): Promise<readonly SearchResult[]>;
  /** Every tag and every parent of one, by name. */
  listAllTags(): Promise<readonly TagInfo[]>;
  addTag(location: NoteLocation, tag: string, options?: SourceCallOptions): Promise<WrittenNote>;
  removeTag(location: NoteLocation, tag: string, options?: SourceCallOptions): Promise<WrittenNote>;
}

export interface KnowledgeRepositoryOptions {
  readonly sources: SourceManager;
  readonly index: NoteIndex;
  /** Where renames are put down first. Default: memory, which no crash survives. */
  readonly intents?: IntentStore;
  /** Enables search by meaning. */
  readonly embedder?: Embedder;
  /** Notes that are embedded with one request. Default 32. */
  readonly embedAtOnce?: number;
  /** Where vectors are kept between processes. Default: nowhere. */
  readonly vectors?: VectorStore;
  /** Called with the number of notes that have a vector, while they are embedded. */
  readonly onEmbedProgress?: (progress: EmbedProgress) => void;
  /**
   * Receives a warning when notes are related without regard to meaning, since the embedder failed. Default: that
   * is an error.
   */
  readonly warn?: (message: string) => void;
  /** Where new notes go that name no folder. Default: the root of the first mount that can be written. */
  readonly home?: string;
  readonly now?: () => Date;
  readonly newId?: () => string;
}
