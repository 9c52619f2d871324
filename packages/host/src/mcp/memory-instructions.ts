import { OUTPUT_MOUNT, type SourceStatus } from "@ikigai/core/host";
import { ASSETS, WORKSPACE } from "../policy/host-policy.ts";

export interface MemoryInstructionsOptions {
  readonly mounts: readonly Pick<SourceStatus, "mount" | "name" | "kind" | "guidance">[];
  /** Names of the tools that the client is offered. */
  readonly tools: readonly string[];
  /** What the parts of the host say, one text each. */
  readonly parts?: readonly string[];
  /** Why the workspace is left out, as a sentence. Absent: it is served. */
  readonly whyNoWorkspace?: string | undefined;
}

/** Mounts that a model is not told of: it meets them when it needs them. */
const UNTOLD: ReadonlySet<string> = new Set([WORKSPACE, ASSETS, OUTPUT_MOUNT, "host", "jobs", "asset-changes"]);
const MAX_MOUNTS = 20;
const MAX_GUIDANCE = 300;

/**
 * What a client's model should know of the server: that it is a memory, how to use it, and what is mounted.
 *
 * Contract: names only tools that are offered and sources that are mounted.
 */
export function memoryInstructions({ mounts, tools, parts = [], whyNoWorkspace }: MemoryInstructionsOptions): string {
  const has = (...names: readonly string[]): boolean => names.every((name) => tools.includes(name));
  const mounted = mounts.map(({ mount }) => mount);
  const lines = ["This server is your long-term memory, kept across conversations and projects."];
  if (whyNoWorkspace !== undefined) lines.push(`No workspace is served: ${whyNoWorkspace}.`);
  if (has("recall")) {
    lines.push(
      "Before you answer from what was said, decided or preferred earlier, search it: recall with op search. When you " +
        "learn a fact, a decision or a preference that will matter again, save it at once: recall with op insert.",
    );
  }
  if (has("slash_command")) {
    lines.push("When the user says to remember something, use slash_command with /remember and the sentence.");
  }
  if (mounted.includes(ASSETS) && has("file_read")) {
    const change = has("file_edit") ? " and changed with file_edit and file_write" : "";
    lines.push(
      `Memory texts have addresses such as ${ASSETS}:///blocks/decisions.md, blocks/decisions for short. They are read ` +
        `with file_read${change}; each change has a version and can be undone.`,
    );
  }
  if (has("search_notes")) lines.push("Notes are Markdown files with links and tags: search_notes finds them.");
  lines.push(...parts.map(oneLine));
  const others = mounts.filter(({ mount }) => !UNTOLD.has(mount)).slice(0, MAX_MOUNTS);
  if (others.length > 0) lines.push("Also mounted:", ...others.map(mountLine));
  return lines.join("\n");
}

function mountLine({ mount, name, kind, guidance }: MemoryInstructionsOptions["mounts"][number]): string {
  const what = kind === "stream" ? `events of ${name}` : `${name}, at ${mount}:///`;
  const told = guidance === undefined ? "" : `. ${oneLine(guidance)}`;
  return `- ${mount}: ${what}${told}`;
}

/** Contract: clients cut long instructions, so no guidance takes the place of the others. */
function oneLine(guidance: string): string {
  return guidance.replaceAll(/\s+/g, " ").slice(0, MAX_GUIDANCE).toWellFormed();
}
