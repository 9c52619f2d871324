import { realpath, stat } from "node:fs/promises";
import { IkigaiError } from "@ikigai/core";
import type { WorkspaceParts } from "@ikigai/mcp";
import type { Served } from "./workspace/switchable-workspace.ts";
import { whyNoWorkspace } from "./why-no-workspace.ts";

export interface OpenWorkspacesOptions {
  /** Opens a workspace by its real path. */
  readonly open: (root: string) => Promise<Served>;
  /** The only workspace there is. Absent: every folder that can be one. */
  readonly only?: string;
  /** Workspaces that are open at once; the one that was idle longest makes room. Default 4. */
  readonly limit?: number;
}

/** Workspaces that requests name, opened by the first and kept for the next. */
export interface OpenWorkspaces {
  /** Contract: the workspace stays open while `work` runs; rejects for a folder that is not to be served. */
  use<T>(folder: string, work: (parts: WorkspaceParts) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface OpenWorkspace {
  readonly served: Promise<Served>;
  users: number;
}

const LIMIT = 4;

export function createOpenWorkspaces({ open, only, limit = LIMIT }: OpenWorkspacesOptions): OpenWorkspaces {
  // Kept in the order of their last use.
  const opened = new Map<string, OpenWorkspace>();
  const closing = new Set<Promise<void>>();

  function makeRoom(): void {
    for (const [root, { users, served }] of opened) {
      if (opened.size <= limit) return;
      if (users > 0) continue;
      opened.delete(root);
      const closed = served.then((one) => one.close()).catch(() => {});
      closing.add(closed);
      void closed.finally(() => closing.delete(closed));
    }
  }

  return {
    async use(folder, work) {
      const root = await realFolder(folder);
      if (only !== undefined && root !== (await realFolder(only))) {
        throw new IkigaiError("permission_denied", `The workspace is ${only}, and ${folder} is not served`, {
          hint: "Start the server without --root to let requests name their workspace.",
        });
      }
      const workspace = opened.get(root) ?? { served: open(root), users: 0 };
      opened.delete(root);
      opened.set(root, workspace);
      workspace.users++;
      try {
        return await work(await workspace.served);
      } catch (error) {
        // A workspace that could not be opened is tried again by the next request.
        await workspace.served.catch(() => opened.delete(root));
        throw error;
      } finally {
        workspace.users--;
        makeRoom();
      }
    },
    async close() {
      const all = [...opened.values()].map(({ served }) => served.then((one) => one.close()).catch(() => {}));
      opened.clear();
      await Promise.all([...all, ...closing]);
    },
  };
}

async function realFolder(folder: string): Promise<string> {
  const root = await realpath(folder).catch(() => undefined);
  if (root === undefined || !(await stat(root)).isDirectory()) {
    throw new IkigaiError("not_found", `${folder} is no folder`, { hint: "Name an existing folder as the workspace." });
  }
  const why = whyNoWorkspace(root);
  if (why !== undefined) throw new IkigaiError("invalid_input", why);
  return root;
}
