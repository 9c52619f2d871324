import type { PartStatus } from "./open-parts.ts";

/** What a part brings, or why it was left out, in one line. */
export function describePart({ tools, commands, mounts, error }: PartStatus): string {
  if (error !== undefined) return error.split("\n")[0] ?? "";
  const named = [...tools, ...commands.map((name) => `/${name}`), ...mounts.map((mount) => `${mount}:///`)];
  return named.join(", ") || "no tools, no commands, no mounts";
}
