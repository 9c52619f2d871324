import { realpathSync } from "node:fs";
import { sep } from "node:path";
import type { Action, PolicyLayer, SourceManager } from "@ikigai/core";

const THROUGH_LINKS: ReadonlySet<Action> = new Set<Action>(["read", "create", "append", "update"]);

/**
 * Denies what a link leads out of its folder, as the source itself would, so that it is known before the call.
 *
 * Contract: for judging only. The source looks again when it opens, since a link may be exchanged meanwhile.
 */
export function linkLayer(sources: () => Pick<SourceManager, "status" | "routePrefix">): PolicyLayer {
  return {
    name: "link",
    judge({ action, target }) {
      if (!THROUGH_LINKS.has(action)) return undefined;
      const isMounted = sources()
        .status()
        .some(({ mount, kind }) => kind === "block" && target.startsWith(`${mount}:///`));
      if (!isMounted) return undefined;
      const { source, address } = sources().routePrefix(target);
      const root = source.localRoot?.();
      if (root === undefined || isInside(root, realPathOf(root, address.path))) return undefined;
      return { decision: "deny", reason: `${JSON.stringify(address.path)} leads out of the root through a link` };
    },
  };
}

function isInside(root: string, real: string): boolean {
  return real === root || real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

/** Where `path` leads as far as it exists. */
function realPathOf(root: string, path: string): string {
  const segments = path.split("/");
  for (let end = segments.length; end > 0; end--) {
    try {
      return realpathSync(`${root}/${segments.slice(0, end).join("/")}`);
    } catch {
      // Not there: what lies above it decides.
    }
  }
  return root;
}
