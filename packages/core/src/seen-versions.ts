import type { Actor } from "./source/source.ts";

/**
 * Which version of a text a conversation has seen last, whichever tool showed it.
 *
 * Kept per conversation and never per agent, or two clients of one agent would overwrite each other's work.
 */
export interface SeenVersions {
  /** Whether this conversation read or wrote `uri` in exactly this version, and nothing of it later. */
  saw(actor: Actor, uri: string, version: string): boolean;
  /** The version of `uri` that this conversation saw last. */
  last(actor: Actor, uri: string): string | undefined;
  /** Notes a text that was shown whole. */
  note(actor: Actor, uri: string, version: string): void;
  /**
   * Notes a text that the conversation wrote; `replaced` is the version it edited, absent when it wrote the whole.
   *
   * Contract: does nothing where the conversation is shared, since the others in it have not seen it, nor for an edit of a
   * version that the conversation had not seen: it has not seen the rest of the text now.
   */
  noteWritten(actor: Actor, uri: string, version: string, replaced?: string): void;
}

export interface SeenVersionsOptions {
  /** How many texts are remembered over all conversations; the longest unused are forgotten. Default 10,000. */
  readonly limit?: number;
}

const LIMIT = 10_000;

/** Contract: forgetting is safe, since what is forgotten counts as unseen. */
export function createSeenVersions({ limit = LIMIT }: SeenVersionsOptions = {}): SeenVersions {
  const versions = new Map<string, string>();
  const keyOf = ({ agent, conversation }: Actor, uri: string): string => JSON.stringify([conversation, agent, uri]);
  const last: SeenVersions["last"] = (actor, uri) => versions.get(keyOf(actor, uri));
  const note: SeenVersions["note"] = (actor, uri, version) => {
    const key = keyOf(actor, uri);
    versions.delete(key);
    versions.set(key, version);
    // Even the first key is not free to find: the way to it passes over all that were taken out.
    if (versions.size <= limit) return;
    for (const oldest of versions.keys()) {
      if (versions.size <= limit) return;
      versions.delete(oldest);
    }
  };
  return {
    saw: (actor, uri, version) => last(actor, uri) === version,
    last,
    note,
    noteWritten(actor, uri, version, replaced) {
      if (actor.isSharedConversation === true) return;
      if (replaced === undefined || last(actor, uri) === replaced) note(actor, uri, version);
    },
  };
}
