import { IkigaiError } from "@ikigai/core";
import { OWN_MOUNTS } from "../policy/own-mounts.ts";
import type { PartStatus } from "./open-parts.ts";
import { OWN_PACKAGES, TOOLSETS } from "./own-packages.ts";

/** Tools that a host has itself, with every package of ours installed. */
export const OWN_TOOLS: ReadonlySet<string> = new Set([
  ...Object.values(TOOLSETS).flat(),
  ...OWN_PACKAGES.flatMap(({ tools }) => tools),
]);

/** Commands that a host has itself. */
export const OWN_COMMANDS: ReadonlySet<string> = new Set([
  "assets",
  "blocks",
  "budget",
  "compact",
  "diff",
  "forget",
  "history",
  "pin",
  "pinned",
  "remember",
  "undo",
  "unpin",
]);

/** Names of ours that a part took, as the end of a sentence: `the tool file_read`. */
export function ownNamesIn({ tools, commands, mounts }: Pick<PartStatus, "tools" | "commands" | "mounts">): string[] {
  return [
    ...tools.filter((name) => OWN_TOOLS.has(name)).map((name) => `the tool ${name}`),
    ...commands.filter((name) => OWN_COMMANDS.has(name)).map((name) => `the command /${name}`),
    ...mounts.filter((name) => OWN_MOUNTS.has(name)).map((name) => `the mount ${name}`),
  ];
}

/** Contract: `conflict` names every tool, command and mount that ikigai itself has: no host could open the part. */
export function assertNoOwnNames(brought: PartStatus): void {
  const taken = ownNamesIn(brought);
  if (taken.length === 0) return;
  throw new IkigaiError("conflict", `Part "${brought.part}" brings ${taken.join(" and ")}, which ikigai itself has`, {
    hint: "Give it another name.",
  });
}
