import type { Actor } from "@ikigai/core";
import type { SourceManager } from "@ikigai/core/host";
import type { NoteGraph } from "./note-graph.ts";
import type { NoteIndexStore } from "./note-index-store.ts";

export interface IndexProgress {
  readonly mount: string;
  /** Notes that are up to date, of all that were listed. */
  readonly done: number;
  readonly total: number;
}

/** Counts of what a refresh of the index did. */
export interface IndexReport {
  readonly notes: number;
  /** Notes whose text was read. */
  readonly read: number;
  readonly unchanged: number;
  readonly removed: number;
  /** Notes that could not be read, with the reason; the others are indexed all the same. */
  readonly failed: readonly { readonly uri: string; readonly reason: string }[];
}

export interface RefreshOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: IndexProgress) => void;
}

/** The notes of some mounts, kept in memory and in a store. */
export interface NoteIndex {
  readonly graph: NoteGraph;
  /** The mounts whose notes are meant. */
  mounts(): readonly string[];
  /** Brings everything up to date; reads only what changed since the rows were stored. */
  refresh(options?: RefreshOptions): Promise<IndexReport>;
  /** Resolves once a first refresh is done; starts it when nobody has. */
  ready(options?: RefreshOptions): Promise<void>;
  /** Reads one note again, after a change that the caller knows of. */
  noteChanged(uri: string, options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Says that a note was changed by something else in this process. Contract: it is read again before the next answer. */
  touch(uri: string): void;
  /** Follows the sources that report changes until `signal` aborts. Contract: resolves then; never rejects. */
  follow(options: { readonly signal: AbortSignal; readonly onError?: (error: unknown) => void }): Promise<void>;
}

export interface NoteIndexOptions {
  readonly sources: SourceManager;
  /**
   * The mounts whose notes are meant; asked anew each time when it is a function. Default: every mounted source of text
   * but `host`, the whole machine.
   */
  readonly mounts?: readonly string[] | (() => readonly string[]);
  /**
   * Told of a mount that cannot be listed, or does not answer, whose notes are then left out. It is tried again after a
   * while. Default: that is an error.
   */
  readonly onMountFailure?: (mount: string, error: unknown) => void;
  /** Milliseconds that a mount may take for its next answer. Default 10,000. */
  readonly waitMs?: number;
  /** The time, in milliseconds. Default: the machine's. */
  readonly now?: () => number;
  /** Where rows are kept between processes. Default: nowhere. */
  readonly store?: NoteIndexStore;
  /** Agent on whose behalf sources are read. */
  readonly actor?: Actor;
  /** How many notes are read at once. Default 32. */
  readonly concurrency?: number;
}
