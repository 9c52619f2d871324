import type { MetadataFilter } from "./filter.ts";

/** What a result is: something inserted, or a copy of text that lives elsewhere. */
export type RecallKind = "entry" | "block" | "turn" | "asset";

/** Plain JSON. */
export type Metadata = Readonly<Record<string, unknown>>;

/** Where an entry came from, for people: the agent, the conversation, a file that was imported. Plain JSON. */
export type Provenance = Readonly<Record<string, unknown>>;

export interface NewEntry {
  readonly content: string;
  readonly metadata?: Metadata;
  /** Thread that the entry belongs to, such as a conversation. Entries of one thread lend each other weight. */
  readonly thread?: string;
  /** Place within the thread. Default: after all that were inserted before. */
  readonly order?: number;
  /** When it happened, if that is not now. */
  readonly occurredAt?: Date;
  /** The entry that this one corrects. */
  readonly supersedes?: string;
  readonly provenance?: Provenance;
}

/** A copy of text that changes where it lives: an archival block, a turn of a conversation, a stored asset. */
export interface MirroredText extends Omit<NewEntry, "supersedes"> {
  readonly kind: Exclude<RecallKind, "entry">;
  /** Address of the original. Mirroring it again replaces the copy. */
  readonly address: string;
  /** Name of the text for people. Default: the address. */
  readonly label?: string;
  /** Version of the original, to tell whether the copy is up to date. */
  readonly version?: string;
}

/** What became of one insert. */
export interface Inserted {
  readonly id: string;
  /** False when the content was there already; `id` then names the entry that has it. */
  readonly stored: boolean;
  /** Why nothing was stored: the very content, text put together from recalled entries, or content that was corrected since. */
  readonly recognised?: "same_content" | "recalled_text" | "superseded";
  /** With `superseded`: the live entry that holds now. */
  readonly supersededBy?: string;
  /** True when the entry that was recognised has other metadata than was given; it keeps its own. */
  readonly otherMetadata?: true;
}

/** An entry as it is kept. Nothing of it changes but `supersededBy` and `erased`. */
export interface RecallEntry {
  readonly id: string;
  readonly kind: RecallKind;
  readonly label: string;
  /** Empty once erased. */
  readonly content: string;
  readonly metadata: Metadata;
  readonly createdAt: Date;
  readonly provenance: Provenance;
  readonly thread?: string;
  readonly order?: number;
  readonly occurredAt?: Date;
  readonly supersedes?: string;
  readonly supersededBy?: string;
  readonly address?: string;
  readonly erased?: Tombstone;
}

/** What is left of an erased entry. */
export interface Tombstone {
  readonly at: Date;
  readonly by: string;
  readonly reason?: string;
}

export interface SearchRequest {
  /** Words to look for. Never a query language: every character is data. */
  readonly query: string;
  /** 1 to 200, default 10. */
  readonly limit?: number;
  readonly filter?: MetadataFilter;
  /** Finds only entries that happened, or else were stored, at or after this moment. */
  readonly since?: Date;
  /** Finds only entries that happened, or else were stored, before this moment. */
  readonly until?: Date;
  /** Kinds of texts to search. Default: entries only. */
  readonly kinds?: readonly RecallKind[];
}

/** Why a result was found. */
export interface RecallReason {
  /** Words of the query that the entry has, as they stand in the query. */
  readonly words: readonly string[];
  /** Similarity of meaning, -1 to 1, when an embedder took part. */
  readonly vector?: number;
  /** Model that the similarity comes from. */
  readonly model?: string;
  /** Signs besides words that counted: `neighbours`, `date`, `speaker`. */
  readonly also: readonly string[];
}

export interface RecallHit extends RecallEntry {
  /** Relevance, 0 to 1. */
  readonly score: number;
  readonly why: RecallReason;
}

/** Owner, signal and clock of one call of the archive. */
export interface RecallCall {
  /** The agent whose archive it is. No call ever sees another owner's entries. */
  readonly owner: string;
  readonly signal?: AbortSignal;
  /** Moment that "yesterday" is relative to. Default: the present. */
  readonly now?: Date;
  /** Receives what a search had to do without, such as an embedder that is unavailable. Contract: must not throw. */
  readonly warn?: (message: string) => void;
}

export interface ScanOptions {
  /** Continue after this id. */
  readonly after?: string;
  /** Default 500. */
  readonly limit?: number;
}

export interface RecallStatus {
  /** Live entries, copies included. */
  readonly entries: number;
  /** How many of them have a vector of the present model; absent without an embedder. */
  readonly embedded?: number;
  readonly model?: string;
}

/**
 * An archive of immutable entries with ranked search.
 *
 * Contract: whoever opens it closes it. Bad input is `invalid_input` and stores nothing, not even the good part of a
 * batch. Rejects with `not_found` for an id that the owner does not have.
 */
export interface RecallStore {
  /**
   * Stores entries, in order, all or none.
   *
   * Contract: content that a live entry of this owner has already, at the same place (`thread`, `order`) and time
   * (`occurredAt`), is recognised and not stored again, also between processes; without place and time any entry with
   * the content is meant. Content of an entry that was superseded is recognised too, unless the insert supersedes. Superseding an entry that was superseded before is a `conflict`.
   */
  insert(entries: readonly NewEntry[], call: RecallCall): Promise<readonly Inserted[]>;
  /** Best first. Superseded and erased entries are left out. Empty when no word, date or vector leads anywhere. */
  search(request: SearchRequest, call: RecallCall): Promise<readonly RecallHit[]>;
  get(id: string, call: RecallCall): Promise<RecallEntry>;
  /** The entry, what it corrected and what corrected it, oldest first. */
  history(id: string, call: RecallCall): Promise<readonly RecallEntry[]>;
  /** Removes content, metadata and every index of it for good; id, times and a tombstone stay. For people only. */
  erase(id: string, by: { readonly by: string; readonly reason?: string }, call: RecallCall): Promise<void>;
  /** Makes texts that live elsewhere searchable, or brings their copies up to date. */
  mirror(texts: readonly MirroredText[], call: RecallCall): Promise<void>;
  /** Forgets the copies of these addresses. Unknown ones are ignored. */
  unmirror(addresses: readonly string[], call: RecallCall): Promise<void>;
  /** Which originals of a kind have a copy, by address, with the version that was copied; empty when none was given. */
  copies(kind: MirroredText["kind"], call: RecallCall): Promise<ReadonlyMap<string, string>>;
  /** Entries in the order of their ids, superseded ones and tombstones included; copies left out. */
  scan(options: ScanOptions, call: RecallCall): Promise<readonly RecallEntry[]>;
  status(call: RecallCall): Promise<RecallStatus>;
  /** Present when the store was opened with an embedder. */
  readonly embedding?: RecallEmbedding;
}

/** The part of a store that gives entries their vectors, in the background. */
export interface RecallEmbedding {
  readonly model: string;
  /**
   * Embeds up to `batch` live entries, of any owner, that have no vector of the present model.
   *
   * Contract: what was embedded stays so when it is interrupted; vectors of other models are dropped on the way.
   */
  embedNext(batch: number, signal?: AbortSignal): Promise<{ readonly embedded: number; readonly remaining: number }>;
}
