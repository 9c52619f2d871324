import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { PolicyLayer } from "@ikigai/core";
import { WORKSPACE } from "../host-policy.ts";

export interface ObeyedLayerOptions {
  /** The workspace, as a real path. */
  readonly root: string;
  /** Why a file is obeyed by something that was trusted, by its absolute path without links. */
  readonly whyObeyed: (local: string) => string | undefined;
}

/**
 * Files that trusted hooks, servers and plugins are made of need a person, as the configuration that names them does.
 *
 * Contract: reading is free; a link into such a file is that file.
 */
export function createObeyedLayer({ root, whyObeyed }: ObeyedLayerOptions): PolicyLayer {
  const prefix = `${WORKSPACE}:///`;
  return {
    name: "trusted code",
    judge({ action, target }) {
      if (action === "read" || !target.startsWith(prefix)) return undefined;
      const local = join(root, target.slice(prefix.length));
      const why = whyObeyed(local) ?? whyObeyed(finalPlace(local));
      if (why === undefined) return undefined;
      return { decision: "ask", needs: "person", reason: `${why}, and what runs was trusted as it is` };
    },
  };
}

/** Where a path leads, also when its last part does not exist. */
function finalPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === dirname(path) ? path : join(finalPlace(dirname(path)), basename(path));
  }
}
