import type { Effect, PlanContext, SourceCallOptions, ToolContext } from "@ikigai/core";
import type { NoteMetadata } from "../repository/knowledge-repository.ts";

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
  const { agent, conversation, callId, tool, client, places, signal } = context;
  const held = { ...(client !== undefined && { client }), ...(places !== undefined && { places }) };
  return { signal, actor: { agent, conversation, callId, tool, ...held } };
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
