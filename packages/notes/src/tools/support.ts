import type { Effect, PlanContext, SourceCallOptions, ToolContext } from "@ikigai/core";
import { actorOf } from "@ikigai/core/host";
import type { NoteMetadata } from "../repository/knowledge-repository.ts";

/** On whose behalf a source is called. */
export function callOf(context: PlanContext | ToolContext): SourceCallOptions {
  return { signal: context.signal, actor: actorOf(context) };
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
