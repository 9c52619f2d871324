import { structuredPatch } from "diff";
import { escapeText } from "./terminal.ts";

const RED = "\u001b[31m";
const GREEN = "\u001b[32m";
const DIM = "\u001b[2m";
const RESET = "\u001b[0m";
const LONGEST_LINE = 300;

/**
 * What changes, line by line, coloured when asked to.
 *
 * Contract: every character of the texts is escaped; what is left out is counted.
 */
export function renderDiff(before: string, after: string, limit: number, colours: boolean): string {
  const { hunks } = structuredPatch("", "", before, after, "", "", { context: 3 });
  const lines = hunks.flatMap(({ oldStart, newStart, lines: changed }) => [
    `@@ line ${oldStart} → ${newStart} @@`,
    ...changed,
  ]);
  const shown = lines.slice(0, limit).map((line) => colour(line, colours));
  const hidden = lines.length - shown.length;
  return [...shown, ...(hidden > 0 ? [`… ${hidden} more lines are not shown`] : [])].join("\n");
}

function colour(line: string, colours: boolean): string {
  const cut =
    line.length > LONGEST_LINE
      ? `${line.slice(0, LONGEST_LINE)}… (${line.length - LONGEST_LINE} more characters)`
      : line;
  const safe = escapeText(cut);
  if (!colours) return safe;
  if (line.startsWith("+")) return `${GREEN}${safe}${RESET}`;
  if (line.startsWith("-")) return `${RED}${safe}${RESET}`;
  return line.startsWith("@@") ? `${DIM}${safe}${RESET}` : safe;
}
