import type { ConversationInfo } from "../conversations.ts";
import type { Actor } from "../source/source.ts";

/** Files of the host's own, which tools neither search nor show. */
export interface OwnFiles {
  isOwn(local: string, mount: string): boolean;
  /** Absolute paths of the folders that are the host's own. */
  folders(): readonly string[];
}

/** What saves of files do to their folders while they run. */
export interface SaveTraces {
  /** A glob of the names that files have which exist during a save only. */
  readonly names: string;
  /** Absolute paths below a real folder whose names may have been absent for a moment since `since`, in milliseconds since 1970. */
  taken(root: string, since: number): readonly string[];
}

/** Where what commands print is kept while it is too long to be shown. */
export interface OutputFolders {
  /** Absolute path of the folder of an agent. Contract: it need not be there. */
  folderOf(agent: string): string;
}

/** Logs that an agent can read as blocks. */
export interface LogKeeper {
  /** Adds an entry to a log, which is made with the first one and keeps the latest `maxEntries`. */
  append(label: string, entry: string, options: { readonly maxEntries: number }, actor: Actor): Promise<void>;
}

/** The places that a command line names, as far as its text shows them. */
export interface CommandPlaces {
  /** The folder that the command line changes into before all else; its words are meant there. Absent: none. */
  readonly folder?: string;
  /** Where redirections write. */
  readonly written: readonly string[];
  /** Words of programs that are not known to only look. Any of them may be a path, and may be written. */
  readonly named: readonly string[];
  /** Words of programs that are known to only look. Any of them may be a path, which is read. */
  readonly read: readonly string[];
  /** Places of `read` below which everything may be read. */
  readonly searched: readonly string[];
}

/** Reads command lines for the policy. Contract: never throws; runs nothing. */
export interface CommandReader {
  placesOf(command: string): CommandPlaces;
  /** Whether a rule of the user allows a command by its text. */
  allows(rule: string, command: string): boolean;
  /** Whether the text of a command is plain enough to make a rule of it. */
  isUnderstood(command: string): boolean;
}

/** What a store has to know of a row; the rest is kept as it is. */
export interface KeyedRow {
  readonly uri: string;
  readonly mount: string;
}

/** How a row is kept as text. */
export interface RowCodec<Row> {
  encode(row: Row): string;
  /** Contract: throws for a text that is no row; the caller makes the row anew. */
  decode(text: string, mount: string): Row;
}

/**
 * Where the rows of an index outlive the process.
 *
 * Contract: `load` gives the rows of one mount in any order; `save` replaces rows of the same `uri`; `remove` of an
 * unknown `uri` is no error. Rows are a cache of texts: a store that loses some costs time, never truth.
 */
export interface RowStore<Row extends KeyedRow> {
  load(mount: string): Promise<readonly Row[]>;
  save(rows: readonly Row[]): Promise<void>;
  remove(uris: readonly string[]): Promise<void>;
}

/** The vector of one version of a text. */
export interface StoredVector {
  readonly uri: string;
  readonly version: string;
  readonly vector: Float32Array;
}

/**
 * Where the vectors of texts outlive the process.
 *
 * Contract: vectors of different models are never mixed; `save` replaces those of the same `uri`, and lets go of other
 * models'; `remove` of an unknown `uri` is no error. They are a copy of what an embedder says: losing some costs time.
 */
export interface VectorStore {
  load(model: string, mount: string): Promise<readonly StoredVector[]>;
  save(model: string, vectors: readonly StoredVector[]): Promise<void>;
  remove(uris: readonly string[]): Promise<void>;
}

/** Keeps what is known of the texts of a workspace, so that the next process need not read them all. */
export interface IndexStore {
  rows<Row extends KeyedRow>(codec: RowCodec<Row>): RowStore<Row>;
  readonly vectors: VectorStore;
}

/** Rows that a statement gave. */
interface SqlRows<Row> {
  readonly rows: readonly Row[];
}

/** Something that runs SQL. */
export interface Sql {
  /** Contract: one statement, parameters written `$1`. */
  query<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<SqlRows<Row>>;
}

/** The little of a PostgreSQL client that parts need. */
export interface SqlClient extends Sql {
  /** Contract: commits when `work` resolves, rolls back when it rejects. `work` may run again after a collision. */
  transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
}

/** The database of the host's store, for parts that keep tables of their own there. */
export interface StoreTables {
  /**
   * Adds the steps that make a part's tables. They run with those of the store, before its first statement.
   *
   * Contract: `conflict` once the store is open, so a part adds its own when it is opened.
   */
  add(set: {
    readonly name: string;
    readonly migrations: readonly { readonly id: string; readonly sql: string }[];
  }): void;
  /** Contract: makes the store where there is none. */
  open(): Promise<SqlClient>;
  /** Whether there is a store already. Contract: makes and opens none. */
  exists(): Promise<boolean>;
  /** Resolves once somebody needed the store. Contract: opens nothing. */
  readonly whenOpened: Promise<unknown>;
}

/** A text that lives elsewhere, as far as it must be known to tell whether a copy of it is up to date. */
export interface OwnedText {
  readonly address: string;
  readonly version: string;
  /** The text itself. Contract: absent when it has gone meanwhile, or cannot be read by this owner after all. */
  load(): Promise<
    | {
        readonly content: string;
        readonly label?: string;
        readonly occurredAt?: Date;
        readonly metadata?: Readonly<Record<string, unknown>>;
        readonly provenance?: Readonly<Record<string, unknown>>;
      }
    | undefined
  >;
}

/** A message of a conversation, as far as others copy it. */
export interface SpokenMessage {
  readonly id: string;
  readonly role: string;
  /** Absent: nothing was said, as in the answer of a tool. */
  readonly text?: string;
  /** When it was said. ISO 8601. */
  readonly at: string;
}

/** Texts of an owner that a part may copy, such as an archive that searches them. */
export interface OwnedTexts {
  /** Assets that the owner sees now. */
  assets(owner: string): AsyncIterable<OwnedText>;
  /** Archival blocks that the owner sees now. */
  blocks(owner: string): AsyncIterable<OwnedText>;
  readonly conversations: {
    list(owner: string): Promise<readonly Pick<ConversationInfo, "id" | "messages" | "updated_at">[]>;
    messages(conversation: string): Promise<readonly SpokenMessage[]>;
  };
}

/** Where what was said goes when it leaves the context of its conversation. */
export interface TurnArchive {
  keep(conversation: string, messages: readonly SpokenMessage[], owner: string): Promise<void>;
}
