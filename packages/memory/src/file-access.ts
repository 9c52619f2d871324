import { type Actor, IkigaiError, type PlanContext, type SourceCallOptions } from "@ikigai/core";

/** A call's own facts, in the form in which a source takes them. */
export function callOptions(context: PlanContext): SourceCallOptions & { readonly actor: Actor } {
  const { agent, conversation, callId, tool, client, signal } = context;
  return { signal, actor: { agent, conversation, callId, tool, ...(client !== undefined && { client }) } };
}

export function absentFile(uri: string): IkigaiError {
  return new IkigaiError("not_found", `There is no ${uri}`, {
    hint: "Check the path, or create it with file_write.",
  });
}
