import { definePart, HOST_MOUNT, type Part, type PartMount } from "@ikigai/core/host";
import { fileSource } from "@ikigai/source-file";
import { z } from "zod";
import type { Config } from "../configuration/config.ts";
import { ASSETS, WORKSPACE } from "../policy/host-policy.ts";

export interface WorkspacePartOptions {
  /** The workspace as it was named. Absent: there is none. */
  readonly folder?: string;
  readonly rules: Config["rules"];
  /** Whether the machine outside the workspace can be reached. */
  readonly mountHost: boolean;
}

/** The mounts of a host: the workspace, the stored assets of the agent, and the rest of the machine. */
export function createWorkspacePart({ folder, rules, mountHost }: WorkspacePartOptions): Part<object> {
  return definePart({
    name: "workspace",
    options: z.strictObject({}),
    needs: ["store"],
    async open(_, { agent, services: { store } }) {
      const workspace: PartMount[] =
        folder === undefined
          ? []
          : [{ mount: WORKSPACE, source: fileSource, options: { root: folder, rules }, isEditable: true }];
      const assets: PartMount[] =
        store === undefined
          ? []
          : [{ mount: ASSETS, source: store.assetSource, options: { owner: agent }, isEditable: true }];
      const machine: PartMount[] = mountHost
        ? [{ mount: HOST_MOUNT, source: fileSource, options: { root: "/" }, permission: "read_only" }]
        : [];
      return { mounts: [...workspace, ...assets, ...machine] };
    },
  });
}
