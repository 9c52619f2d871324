import { diffLines } from "@ikigai/host/policy";
import { escapeText } from "@ikigai/terminal";

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
  const lines = diffLines(before, after);
  const shown = lines.slice(0, limit).map((line) => colourDiffLine(escapeText(cut(line)), line, colours));
  const hidden = lines.length - shown.length;
  return [...shown, ...(hidden > 0 ? [`… ${hidden} more lines are not shown`] : [])].join("\n");
}

/** `shown`, which is safe already, in the colour of the line of a difference that it belongs to. */
export function colourDiffLine(shown: string, line: string, colours: boolean): string {
  if (!colours) return shown;
  if (line.startsWith("+")) return `${GREEN}${shown}${RESET}`;
  if (line.startsWith("-")) return `${RED}${shown}${RESET}`;
  return line.startsWith("@@") ? `${DIM}${shown}${RESET}` : shown;
}

function cut(line: string): string {
  if (line.length <= LONGEST_LINE) return line;
  return `${line.slice(0, LONGEST_LINE)}… (${line.length - LONGEST_LINE} more characters)`;
}
