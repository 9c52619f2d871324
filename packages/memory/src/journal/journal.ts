import type { Actor } from "@ikigai/core";

/** One side of a change. */
export interface JournalState {
  readonly text: string;
  readonly version: string;
}

/** What a stored text has besides its words. */
export interface JournalFields {
  readonly description?: string;
  readonly category?: string;
  readonly readOnly?: boolean;
  readonly archived?: boolean;
  /** Whether whoever made the change has it pinned. */
  readonly pinned?: boolean;
}

/** A change to a text, wherever it lives. */
export interface JournalEntry {
  readonly uri: string;
  /** Owner of the text. */
  readonly owner: string;
  /** Who changed it. */
  readonly agent: string;
  readonly actor?: Actor;
  readonly reason?: string;
  /** The entry that this change takes back. Absent: it takes none back. */
  readonly undoes?: string;
  /** Absent: it was new. */
  readonly before?: JournalState;
  /** Absent: it was removed. */
  readonly after?: JournalState;
  /** The fields that changed. A change of fields alone has neither `before` nor `after`. */
  readonly fields?: { readonly before: JournalFields; readonly after: JournalFields };
}

/** A change as it was written down. */
export interface JournalRecord extends Omit<JournalEntry, "actor"> {
  readonly id: string;
  readonly at: Date;
  readonly tool?: string;
  readonly callId?: string;
  readonly conversation?: string;
  /** The program through which the change came, as it names itself. Absent: ours. */
  readonly client?: string;
  /** `intended`: it was announced, and its end is not known. */
  readonly state: "intended" | "done" | "failed";
}

/** What the journal no longer has of a text. */
export interface PrunedHistory {
  readonly count: number;
  /** The latest of them. */
  readonly lastId: string;
  readonly until: Date;
}

/**
 * What was changed, by whom and why: the same for files, assets and notes.
 *
 * Contract: `intend` resolves once the announcement is safe; an announced change that was never settled stays visible.
 */
export interface Journal {
  /** Announces a change. Gives the id to settle it with. */
  intend(entry: JournalEntry): Promise<string>;
  /** Says how an announced change ended; `version` is what the text got. */
  settle(id: string, end: { readonly version?: string } | "failed"): Promise<void>;
  /** Newest first; failed ones are left out. */
  history(uri: string, options: { readonly owner: string; readonly limit?: number }): Promise<readonly JournalRecord[]>;
  /** What one call did to whichever texts, newest first; only what is known to be done. */
  ofCall(callId: string): Promise<readonly JournalRecord[]>;
  /** Contract: `not_found` for an unknown id. */
  get(id: string): Promise<JournalRecord>;
  /** Entries that the user's retention removed from the history of a text. Absent: none. */
  pruned(uri: string, options: { readonly owner: string }): Promise<PrunedHistory | undefined>;
}

const UNDO = "undo of ";

/** Why a change was made that takes another back, for people. */
export function undoReason(id: string): string {
  return `${UNDO}${id}`;
}

/** The entry that a change took back, of a row from before rows had a field for it. */
export function undoneByReason(reason: string | undefined): string | undefined {
  return reason?.startsWith(UNDO) === true ? reason.slice(UNDO.length) : undefined;
}

/** What a record says of the call that made the change. */
export function callOf(actor: Actor | undefined): Pick<JournalRecord, "tool" | "callId" | "conversation" | "client"> {
  if (actor === undefined) return {};
  const { tool, callId, conversation, client } = actor;
  return { tool, callId, conversation, ...(client !== undefined && { client }) };
}
