import { IkigaiError } from "@ikigai/core";
import { HOST_MOUNT, OUTPUT_MOUNT } from "@ikigai/core/host";
import { EDITABLE } from "./host-policy.ts";

/** Changes of the files of the workspace. */
export const CHANGES_MOUNT = "file-changes";
export const ASSET_CHANGES = "asset-changes";
/** Commands that run in the background. */
export const JOBS = "jobs";

/** Every name that means something of ikigai itself, also what it mounts only now and then or names in effects only. */
export const OWN_MOUNTS: ReadonlySet<string> = new Set([
  ...EDITABLE,
  HOST_MOUNT,
  OUTPUT_MOUNT,
  CHANGES_MOUNT,
  ASSET_CHANGES,
  JOBS,
]);

/** Contract: `conflict` for a name of ours; a source of that name would get the rights of what it is named like. */
export function assertNotOwnMount(mount: string): void {
  if (!OWN_MOUNTS.has(mount)) return;
  throw new IkigaiError("conflict", `"${mount}" is the name of a mount that ikigai itself has`, {
    hint: "Choose another name for it (with --mount, or as mount in the configuration).",
  });
}
