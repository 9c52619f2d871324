import type { Effect } from "@ikigai/core";
import { HOST_MOUNT } from "@ikigai/core/host";
import { ASSETS, WORKSPACE } from "../policy/host-policy.ts";
import { CHANGES_MOUNT, JOBS } from "../policy/own-mounts.ts";
import type { Place } from "../place/place.ts";
import { withoutPassword } from "../store/waiting-files.ts";

/** Names in effects that mean something in the store. */
const OF_MEMORY: ReadonlySet<string> = new Set([ASSETS, "block", "context", "pin", "share", "budget", "recall"]);
const OF_WORKSPACE: ReadonlySet<string> = new Set([WORKSPACE, CHANGES_MOUNT, JOBS]);
const SCHEME = /^([a-z][a-z0-9-]*):\/\/[^/]*(.*)$/is;

export interface WroteToOptions {
  /** The folder that is served. Absent: memory alone. */
  readonly workspace: string | undefined;
  /** Agent whose memory is changed, and the store that it lies in. */
  readonly memory: string;
}

/**
 * Where effects change something, such as `workspace: /home/ada/shop` or `memory: agent default in /home/ada/.ikigai`.
 *
 * Contract: each place once, in the order of the effects, separated by commas; undefined when nothing is changed.
 */
export function wroteTo(effects: readonly Effect[], options: WroteToOptions): string | undefined {
  const places = effects.flatMap((effect) => placeOf(effect, options) ?? []);
  return places.length === 0 ? undefined : [...new Set(places)].join(", ");
}

/** The memory of an agent and the store that holds it. Contract: names no password. */
export function memoryName({
  agent,
  stateDirectory,
  storeUrl,
}: Pick<Place, "agent" | "stateDirectory" | "storeUrl">): string {
  return `agent ${agent} in ${storeUrl === undefined ? stateDirectory : withoutPassword(storeUrl)}`;
}

function placeOf({ action, target }: Effect, { workspace, memory }: WroteToOptions): string | undefined {
  if (action === "read" || action === "network") return undefined;
  const [, scheme = "", path = ""] = SCHEME.exec(target) ?? [];
  const mount = scheme.toLowerCase();
  // Where a mounted MCP server writes is its own affair.
  if (mount === "mcp") return undefined;
  if (OF_MEMORY.has(mount)) return `memory: ${memory}`;
  if (mount === HOST_MOUNT) return `machine: ${path}`;
  // A command runs in the workspace, and is no address.
  if (action === "execute" || mount === "" || OF_WORKSPACE.has(mount)) {
    return workspace === undefined ? undefined : `workspace: ${workspace}`;
  }
  return `source: ${mount === "source" ? path.slice(1) : mount}`;
}
