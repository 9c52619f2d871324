import type { Actor } from "@ikigai/core";

/**
 * Which version of a text a conversation has seen last.
 *
 * Kept per conversation and never per agent, or two clients of one agent would overwrite each other's work.
 */
export interface SeenVersions {
  /** Whether this conversation read or wrote `uri` in exactly this version, and nothing of it later. */
  saw(actor: Actor, uri: string, version: string): boolean;
  note(actor: Actor, uri: string, version: string): void;
}

/**
 * Notes what a conversation wrote as seen.
 *
 * Contract: not where the conversation is shared, since the others in it have not seen it.
 */
export function noteWritten(seen: SeenVersions, actor: Actor, uri: string, version: string): void {
  if (actor.isSharedConversation !== true) seen.note(actor, uri, version);
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
  return {
    saw: (actor, uri, version) => versions.get(keyOf(actor, uri)) === version,
    note(actor, uri, version) {
      const key = keyOf(actor, uri);
      versions.delete(key);
      versions.set(key, version);
      // Even the first key is not free to find: the way to it passes over all that were taken out.
      if (versions.size <= limit) return;
      for (const oldest of versions.keys()) {
        if (versions.size <= limit) return;
        versions.delete(oldest);
      }
    },
  };
}
