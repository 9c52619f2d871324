/** What a store has to know of a message; the rest is kept as it is. */
export interface StoredMessage {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
}

/** What a store has to know of the manifest of a request; the rest is kept as it is. */
export interface StoredManifest {
  readonly entries: readonly unknown[];
  readonly summary?: unknown;
}

export interface ConversationInfo {
  readonly id: string;
  readonly agent: string;
  /** ISO 8601. */
  readonly started_at: string;
  readonly updated_at: string;
  /** The first question, shortened. */
  readonly title: string;
  readonly messages: number;
  /** The folder it was begun in. Absent: not known. */
  readonly workspace?: string;
}

/** What one request of a conversation was made of. */
export interface RecordedManifest<Manifest> {
  /** Which request of the conversation, from 1. */
  readonly request: number;
  /** Which turn it belongs to, from 1. After going back to a mark the same one comes again. */
  readonly turn: number;
  /** ISO 8601. */
  readonly at: string;
  readonly manifest: Manifest;
}

/** Which manifest of a conversation is meant: that of a request, of the last request of a turn, or else the newest. */
export interface ManifestQuery {
  readonly request?: number;
  readonly turn?: number;
}

/**
 * Where conversations live; they are only ever added to.
 *
 * Contract: `append` resolves once the messages are safe, keeps their order, and takes the same message id only once.
 * A mark is a name for a position; rewinding hides what came after and erases nothing. `not_found` for an unknown
 * conversation or mark.
 */
export interface Conversations<
  Message extends StoredMessage = StoredMessage,
  Manifest extends StoredManifest = StoredManifest,
> {
  /** `workspace` is the folder it belongs to. */
  create(agent: string, workspace?: string): Promise<string>;
  /** Newest first. */
  list(agent: string): Promise<readonly ConversationInfo[]>;
  messages(conversation: string): Promise<readonly Message[]>;
  append(conversation: string, messages: readonly Message[]): Promise<void>;
  /** A new conversation with the same messages. */
  fork(conversation: string): Promise<string>;
  mark(conversation: string, name: string): Promise<void>;
  /** Contract: `not_found` for an unknown mark. */
  rewind(conversation: string, mark: string): Promise<void>;
  /** Hides that message and what came after it. Contract: `not_found` for a message that is not there. */
  rewindBefore(conversation: string, message: string): Promise<void>;
  /** Removes the conversation if nothing was ever said in it. */
  discardEmpty(conversation: string): Promise<void>;
  saveManifest(conversation: string, manifest: Manifest): Promise<void>;
  lastManifest(conversation: string): Promise<Manifest | undefined>;
  /**
   * Adds the manifest of one more request of a turn to those that are kept.
   *
   * Contract: it is the last one from now on, and the summary of the one before stays with it.
   */
  recordManifest(conversation: string, manifest: Manifest, turn: number): Promise<void>;
  /** Contract: `undefined` when there is no such request. */
  findManifest(conversation: string, which?: ManifestQuery): Promise<RecordedManifest<Manifest> | undefined>;
}
