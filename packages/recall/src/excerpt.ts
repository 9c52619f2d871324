import { fold } from "./text/fold.ts";

export interface Excerpt {
  readonly text: string;
  /** 1-based. */
  readonly start_line: number;
  readonly total_lines: number;
}

const LONGEST = 1_200;
/** Endings differ between a query and a text, so only the beginning of a word is looked for. */
const ENDING = 2;

/** The part of a long text that has most of the words; `undefined` when the whole is short enough. */
export function excerptOf(text: string, words: readonly string[]): Excerpt | undefined {
  if (text.length <= LONGEST) return undefined;
  const lines = text.split("\n");
  const starts = words.map((word) => fold(word).slice(0, Math.max(3, word.length - ENDING)));
  let best = { from: 0, to: 0, found: -1 };
  for (let from = 0; from < lines.length; from = Math.max(from + 1, Math.floor((from + windowEnd(lines, from)) / 2))) {
    const to = windowEnd(lines, from);
    const folded = fold(lines.slice(from, to).join("\n").slice(0, LONGEST));
    const found = starts.filter((start) => folded.includes(start)).length;
    if (found > best.found) best = { from, to, found };
  }
  const part = lines.slice(best.from, best.to).join("\n");
  return { text: around(part, starts), start_line: best.from + 1, total_lines: lines.length };
}

/** End of the window of lines that fit, one at least. */
function windowEnd(lines: readonly string[], from: number): number {
  let to = from + 1;
  for (let size = (lines[from] ?? "").length; to < lines.length; to++) {
    size += 1 + (lines[to] as string).length;
    if (size > LONGEST) break;
  }
  return to;
}

/** A single line may be longer than the whole excerpt: then the part around the first word. */
function around(part: string, starts: readonly string[]): string {
  if (part.length <= LONGEST) return part;
  const at = Math.min(...starts.map((start) => part.toLowerCase().indexOf(start)).filter((found) => found >= 0));
  const from = Number.isFinite(at) ? Math.max(0, at - LONGEST / 4) : 0;
  return part.slice(from, from + LONGEST).toWellFormed();
}
