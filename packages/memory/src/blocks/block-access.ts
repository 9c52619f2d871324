import { type Action, type Actor, IkigaiError, type MemoryPermission } from "@ikigai/core";
import { lowerPermission, permissionOpinion, type Route, type SourceManager } from "@ikigai/core/host";
import type { BlockRecord, BlockStore, VisibleBlock } from "./block-store.ts";

/** How far a block is open to the agent that sees it: its own permission, under its source's and the share's. */
export function permissionFor({ record, shared }: VisibleBlock, sources: SourceManager): MemoryPermission {
  const own = lowerPermission(record.permission, sourcePermission(record, sources));
  return shared === undefined ? own : lowerPermission(own, shared);
}

/** A source that is not mounted closes nothing: its block is kept as any other. */
function sourcePermission({ origin }: BlockRecord, sources: SourceManager): MemoryPermission {
  if (origin === undefined) return "admin";
  return tryRoute(origin.uri, sources)?.permission ?? "admin";
}

/** Contract: throws `permission_denied`. What a person must be asked about passes: the policy asks before the call. */
export function assertPermitted(label: string, permission: MemoryPermission, action: Action): void {
  const { decision, reason } = permissionOpinion(permission, action, `The block "${label}"`);
  if (decision !== "deny") return;
  throw new IkigaiError("permission_denied", reason, { hint: "Do not retry; ask the user to open it." });
}

/** The label of the block of a source's text. */
export function labelOf({ source, address, uri }: Route): string {
  return source.label?.(address.path) ?? uri;
}

/** The block of that label, or of the text at that address. Contract: `ambiguous` when several agents share one. */
export async function findBlock(
  place: string,
  { agent }: Actor,
  store: BlockStore,
  sources: SourceManager,
): Promise<VisibleBlock | undefined> {
  let found = await store.find(agent, place);
  if (found.length === 0) {
    const route = tryRoute(place, sources);
    if (route !== undefined) found = await store.find(agent, labelOf(route));
  }
  const [first, second] = found;
  if (first?.shared === undefined || second === undefined) return first;
  const owners = found.map(({ record }) => record.owner);
  throw new IkigaiError("ambiguous", `"${place}" is shared with ${agent} by ${owners.join(" and ")}`, {
    hint: "Ask one of them to end the sharing.",
    details: { owners },
  });
}

export function noBlock(place: string): IkigaiError {
  return new IkigaiError("not_found", `There is no block "${place}"`, {
    hint: "Load it first: give its label, or the path of its text.",
  });
}

/** The route of a place, when it is one. */
export function tryRoute(place: string, sources: SourceManager): Route | undefined {
  try {
    return sources.route(place);
  } catch (error) {
    if (IkigaiError.is(error)) return undefined;
    throw error;
  }
}
