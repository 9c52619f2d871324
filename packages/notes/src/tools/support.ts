import type { Effect, PlanContext, SourceCallOptions, ToolContext } from "@ikigai/core";
import type { NoteMetadata } from "../repository/knowledge-repository.ts";

/** Which versions of which notes a conversation has seen, so that nothing unseen is overwritten. */
export interface SeenVersions {
  remember(conversation: string, uri: string, version: string): void;
  /** What a call wrote. Contract: not remembered where the conversation is shared, since the others have not seen it. */
  rememberWritten(context: ToolContext, uri: string, version: string): void;
  last(conversation: string, uri: string): string | undefined;
}

const MAX_SEEN = 10_000;

/** Keeps the newest 10,000 in memory. */
export function createSeenVersions(): SeenVersions {
  const seen = new Map<string, string>();
  const keyOf = (conversation: string, uri: string): string => `${conversation}\n${uri}`;
  return {
    rememberWritten({ conversation, isSharedConversation }, uri, version) {
      if (isSharedConversation !== true) this.remember(conversation, uri, version);
    },
    remember(conversation, uri, version) {
      const key = keyOf(conversation, uri);
      seen.delete(key);
      seen.set(key, version);
      if (seen.size <= MAX_SEEN) return;
      const [oldest] = seen.keys();
      if (oldest !== undefined) seen.delete(oldest);
    },
    last: (conversation, uri) => seen.get(keyOf(conversation, uri)),
  };
}

/**
 * What a call's input was taken to mean when its effects were asked for, so that what runs is what was approved, even
 * when another note of that name appears in between.
 */
export function createPins<T>(find: (input: object) => Promise<T>): (input: object) => Promise<T> {
  const pins = new WeakMap<object, Promise<T>>();
  return (input) => {
    const known = pins.get(input);
    if (known !== undefined) return known;
    const found = find(input);
    pins.set(input, found);
    return found;
  };
}

/** On whose behalf a source is called. */
export function callOf(context: PlanContext | ToolContext): SourceCallOptions {
  const { agent, conversation, callId, tool, client, signal } = context;
  return { signal, actor: { agent, conversation, callId, tool, ...(client !== undefined && { client }) } };
}

/** Reading the whole of some mounts. */
export function readsAll(mounts: readonly string[]): readonly Effect[] {
  return mounts.map((mount) => ({ action: "read", target: `${mount}:///` }));
}

/** A note in a list, as the model sees it. */
export function toListed({ name, uri, title, tags, modifiedAt }: NoteMetadata): Record<string, unknown> {
  return {
    name,
    uri,
    ...(title !== undefined && title !== name && { title }),
    ...(tags.length > 0 && { tags }),
    ...(modifiedAt !== undefined && { modified_at: modifiedAt.toISOString() }),
  };
}
