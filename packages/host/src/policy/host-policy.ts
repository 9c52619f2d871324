import { realpathSync } from "node:fs";
import { sep } from "node:path";
import type { Address, Effect } from "@ikigai/core";
import {
  type ApprovalMode,
  ASSET_MOUNT,
  type CommandPlaces,
  type CommandReader,
  createPolicy,
  HOST_MOUNT,
  isEdit,
  mountOf,
  type Policy,
  type PolicyLayer,
  type Verdict,
  WORKSPACE_MOUNT,
} from "@ikigai/core/host";
import type { Grants } from "@ikigai/permission";
import { createCommandLayer } from "./command-layer.ts";
import type { PlaceFollower } from "./effect-places.ts";
import type { OwnPlaces } from "./own-places.ts";

export const WORKSPACE: string = WORKSPACE_MOUNT;
export const ASSETS: string = ASSET_MOUNT;

/** Names that mode `edits` may edit: the workspace and what the store keeps. Some are only named in effects. */
export const EDITABLE: readonly string[] = [WORKSPACE, ASSETS, "block", "context", "pin", "recall"];

const NO_PLACES: CommandPlaces = { written: [], named: [], read: [], searched: [] };

export interface HostPolicyOptions {
  /** The workspace, as a real path. */
  readonly root: string;
  readonly own: OwnPlaces;
  readonly follower: PlaceFollower;
  readonly protectedLayer: PolicyLayer;
  /** Reads command lines, asked at each call. Absent: there are no commands. */
  readonly reader: () => Pick<CommandReader, "placesOf"> | undefined;
  /** Layers of sources, blocks and other parts. Read at each call, so that they may come and go. */
  readonly layers: readonly PolicyLayer[];
  readonly grants: Grants;
  /** Whether mode `edits` covers a mount that a part brought. */
  readonly isEditableMount: (mount: string) => boolean;
  mode(): ApprovalMode;
}

/** The fixed set, the host mount, what sources and blocks say; then mode and grants for what is left. */
export function createHostPolicy(options: HostPolicyOptions): Policy {
  const { root, own, follower, protectedLayer, reader, layers, grants, isEditableMount, mode } = options;
  const placesOf = (command: string): CommandPlaces => reader()?.placesOf(command) ?? NO_PLACES;
  const commandLayer = createCommandLayer({
    root,
    workspace: WORKSPACE,
    placesOf,
    follower,
    own,
    protectedLayer,
    layers,
  });
  return createPolicy({
    layers: () => [protectedLayer, hostLayer, ...(reader() === undefined ? [] : [commandLayer]), ...layers],
    follow: (effect) => follower.follow(effect),
    mode,
    grants: () => grants.current(),
    editable: ({ target }) => isEditable(target) || isEditableMount(mountOf(target) ?? ""),
  });
}

/** Hint that says what would allow these effects in this mode. */
export function howToAllow(asked: readonly Verdict[], mode: ApprovalMode): string {
  if (asked.some(({ needs }) => needs === "person"))
    return "Only a person can allow it: run it at a terminal, and answer there.";
  if (asked.some(({ needs }) => needs === "grant"))
    return "Run it at a terminal and answer there, or use a path inside the workspace.";
  const edits = asked.every(({ effect: { action, target } }) => isEdit(action) && isEditable(target));
  return edits && mode === "ask"
    ? "Run it with --approve edits, or answer at a terminal."
    : "Run it with --approve all, or answer at a terminal.";
}

function isEditable(target: string): boolean {
  return EDITABLE.includes(mountOf(target) ?? "");
}

const OPEN_FOLDER = `add its folder to "sources" in ikigai.config.json (use @ikigai/source-file), or open that folder with --root`;

/** Hint for a path of the machine while the host mount is not there. */
export const HOW_TO_REACH_HOST: string = `Use a path inside the workspace. To allow it, the user can start ikigai mcp with --mount-host to be asked for each path, ${OPEN_FOLDER}.`;

/**
 * Everything on the machine outside the workspace: a person, or a grant that names the path, decides each time, and
 * nothing is changed there.
 */
const hostLayer: PolicyLayer = {
  name: "host",
  judge({ action, target }: Effect) {
    if (!target.startsWith(`${HOST_MOUNT}:///`)) return undefined;
    if (action === "read") return { decision: "ask", needs: "grant", reason: "it lies outside the workspace" };
    const reason = `it lies outside the workspace, where nothing is changed; to allow it, the user can ${OPEN_FOLDER}`;
    return { decision: "deny", reason };
  },
};

/** Finds absolute paths that lie in the workspace, also when it was reached through a link. */
export function locateUnder(root: string): (absolute: string) => Address | undefined {
  const roots = [root, realpathSync(root)].map((one) => (one.endsWith(sep) ? one : `${one}${sep}`));
  return (absolute) => {
    const inside = roots.find((one) => `${absolute}/`.startsWith(one));
    return inside === undefined ? undefined : { mount: WORKSPACE, path: absolute.slice(inside.length) };
  };
}
