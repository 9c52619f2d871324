import type { SourceStatus, ToolCard } from "@ikigai/core/host";

export interface PromptInput {
  /** The agent's own instructions. */
  readonly instructions?: string;
  readonly sources: readonly SourceStatus[];
  readonly cards: readonly ToolCard[];
  /** Tokens that pinned assets and blocks may have, when there is a store. */
  readonly budget?: { readonly used: number; readonly limit: number };
  readonly rules?: string;
  /** What the parts of the host say of what they bring, one text each. */
  readonly parts?: readonly string[];
  /** Where and when the agent works. */
  readonly place?: Place;
}

/** What a person at this machine would know without asking. */
export interface Place {
  /** Absolute path of the working folder. */
  readonly folder?: string;
  readonly date: Date;
  /** Platform of the machine, such as `linux`. */
  readonly platform?: string;
}

/** The mount that a bare path belongs to. */
const WORKSPACE = "file";

const DEFAULT_INSTRUCTIONS =
  "You are a careful assistant that works through tools. Say what you did, and what you could not do.";

/**
 * What the model is told of its situation, made from what is mounted and allowed.
 *
 * Contract: names no tool that is not in `cards`; the same input gives the same text, so that caches hit.
 */
export function systemPrompt({
  instructions = DEFAULT_INSTRUCTIONS,
  sources,
  cards,
  budget,
  rules = "",
  parts: told = [],
  place,
}: PromptInput): string {
  const has = (name: string): boolean => cards.some((card) => card.name === name);
  const parts = [instructions.trim()];
  if (place !== undefined) parts.push(placeGuidance(place));
  if (has("file_read")) parts.push(fileGuidance(sources, has));
  for (const { mount, guidance } of sources)
    if (guidance !== undefined) parts.push(`### ${mount}:///\n\n${guidance.trim()}`);
  parts.push(...told);
  if (budget !== undefined) parts.push(budgetGuidance(budget.limit, has("slash_command")));
  if (rules !== "") parts.push(rules);
  return parts.join("\n\n");
}

/** Contract: the same for a whole day, so that caches hit. */
function placeGuidance({ folder, date, platform }: Place): string {
  const weekday = date.toLocaleDateString("en", { weekday: "long" });
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return [
    "## Where you are",
    "",
    ...(folder === undefined ? [] : [`- Working folder: ${JSON.stringify(folder).slice(1, -1)}`]),
    `- Today: ${weekday}, ${day}`,
    ...(platform === undefined ? [] : [`- Platform: ${platform}`]),
  ].join("\n");
}

function fileGuidance(sources: readonly SourceStatus[], has: (name: string) => boolean): string {
  const tools = ["file_read", "file_write", "file_edit"].filter(has).join(", ");
  const mounts = sources.filter(({ kind }) => kind === "block").map(({ mount }) => `\`${mount}:///\``);
  return [
    "## Files and other text",
    "",
    `${tools} work on paths such as \`src/main.c\` and on addresses such as \`ikigai:///blocks/decisions.md\`; the scheme says`,
    `where the text lives, everything else is the same. Mounted are: ${mounts.join(", ")}.`,
    ...(mounts.includes(`\`${WORKSPACE}:///\``)
      ? [`A path without a scheme is a file of the working folder, \`${WORKSPACE}:///\`.`]
      : []),
    ...(has("file_write")
      ? ["Read a text before you overwrite it; a write over a version you have not seen is refused."]
      : []),
    "When in doubt, ask the user where to save.",
  ].join("\n");
}

function budgetGuidance(limit: number, commands: boolean): string {
  return [
    "## Budget",
    "",
    `Pinned text is always in your context and may have ${limit} tokens in all. A write or a pin that would go over it fails and`,
    `says by how much.${commands ? " Use /compact to shorten a block and /unpin to free its tokens, then try again." : ""}`,
  ].join("\n");
}
