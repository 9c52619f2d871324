import type { Effect } from "@ikigai/core";
import { mountOf, splitAddress } from "@ikigai/core/host";

/** What `[f]` offers: the folder around an address, or the first literal words of a command. */
export function proposePattern({
  action,
  target,
  cwd,
}: Effect): { pattern: string; kind: "address" | "command" } | undefined {
  if (action === "execute") {
    // A rule for commands holds in the root of the workspace.
    if (cwd !== undefined) return undefined;
    const words = target.trim().split(/\s+/);
    const literal = words.findIndex((word) => !/^[A-Za-z0-9_./-]+$/.test(word) || word.startsWith("-"));
    const kept = words.slice(0, literal === -1 ? Math.min(words.length, 2) : Math.min(literal, 2));
    return kept.length === 0 ? undefined : { pattern: kept.join(" "), kind: "command" };
  }
  const { mount, path } = splitAddress(target) ?? {};
  if (mount === undefined || path === undefined) return undefined;
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  return { pattern: `${mount}:///${escapeGlob(folder)}${folder === "" ? "*" : "**"}`, kind: "address" };
}

/** What `[a]` stands for: this kind of action anywhere in the mount. Contract: never for a command. */
export function mountPattern({ action, target }: Effect): string | undefined {
  const mount = action === "execute" ? undefined : mountOf(target);
  return mount === undefined ? undefined : `${mount}:///**`;
}

function escapeGlob(text: string): string {
  return text.replaceAll(/[\\*?[\]{}()!+@|]/g, "\\$&");
}
