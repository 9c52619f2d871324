import { type Actor, IkigaiError, type PlanContext, type SourceCallOptions, type ToolContext } from "@ikigai/core";
import { actorOf, type Route } from "@ikigai/core/host";
import { similarPaths } from "../addresses/similar-paths.ts";

/** A call's own facts, in the form in which a source takes them. */
export function callOptions(context: PlanContext): SourceCallOptions & { readonly actor: Actor } {
  return { signal: context.signal, actor: actorOf(context) };
}

/** Names that are looked through for similar ones. */
const MAX_LOOKED = 20_000;
/** Milliseconds that looking may take. */
const LOOK_MS = 2_000;

/**
 * The error that a text is not there, with the names of existing texts that may have been meant.
 *
 * Contract: never throws. Names are looked for only where this agent may read the whole source.
 */
export async function absentFile({ uri, address, source }: Route, context: ToolContext): Promise<IkigaiError> {
  const options = callOptions(context);
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(LOOK_MS)]);
  const names: string[] = [];
  try {
    await context.permit([{ action: "read", target: `${address.mount}:///` }]);
    for await (const { path } of source.list("", { ...options, signal })) {
      names.push(path);
      if (names.length === MAX_LOOKED || signal.aborted) break;
    }
  } catch {
    // A source that cannot or may not be listed has told enough.
  }
  const similar = similarPaths(address.path, names).map((path) => `${address.mount}:///${path}`);
  return absentError(uri, similar);
}

export function absentError(uri: string, similar: readonly string[] = []): IkigaiError {
  const asked = similar.length === 0 ? "Check the path" : `Did you mean ${similar.join(" or ")}? Check the path`;
  return new IkigaiError("not_found", `There is no ${uri}`, {
    hint: `${asked}, or create it with file_write.`,
    ...(similar.length > 0 && { details: { similar } }),
  });
}
