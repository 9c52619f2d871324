import type { Effect } from "@ikigai/core";

/** What `[p]` offers: the folder around an address, or the first literal words of a command. */
export function proposePattern({
  action,
  target,
}: Effect): { pattern: string; kind: "address" | "command" } | undefined {
  if (action === "execute") {
    const words = target.trim().split(/\s+/);
    const literal = words.findIndex((word) => !/^[A-Za-z0-9_./-]+$/.test(word) || word.startsWith("-"));
    const kept = words.slice(0, literal === -1 ? Math.min(words.length, 2) : Math.min(literal, 2));
    return kept.length === 0 ? undefined : { pattern: kept.join(" "), kind: "command" };
  }
  const at = target.indexOf(":///");
  if (at === -1) return undefined;
  const path = target.slice(at + 4);
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  return { pattern: `${target.slice(0, at)}:///${escapeGlob(folder)}${folder === "" ? "*" : "**"}`, kind: "address" };
}

/** What `[a]` stands for: this kind of action anywhere in the mount. */
export function mountPattern({ target }: Effect): string | undefined {
  const at = target.indexOf(":///");
  return at === -1 ? undefined : `${target.slice(0, at)}:///**`;
}

function escapeGlob(text: string): string {
  return text.replaceAll(/[\\*?[\]{}()!+@|]/g, "\\$&");
}
