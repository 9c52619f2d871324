import { IkigaiError } from "@ikigai/core";

const WORD = /"([^"\\]*(?:\\[^][^"\\]*)*)"|'([^']*)'|([^\s"']+)/g;

/** A typed line as words: quotes keep spaces together. Contract: `invalid_input` for a quote that is never closed. */
export function commandWords(line: string): string[] {
  const words: string[] = [];
  let end = 0;
  for (const match of line.matchAll(WORD)) {
    if (line.slice(end, match.index).trim() !== "") throw unclosed(line);
    const [whole, double, single, bare] = match;
    words.push(double?.replaceAll(/\\([^])/g, "$1") ?? single ?? (bare as string));
    end = match.index + whole.length;
  }
  if (line.slice(end).trim() !== "") throw unclosed(line);
  return words;
}

/** The line that is split into these words again. */
export function commandLine(name: string, words: readonly string[]): string {
  return [`/${name}`, ...words.map((word) => `"${word.replaceAll(/["\\]/g, "\\$&")}"`)].join(" ");
}

function unclosed(line: string): IkigaiError {
  return new IkigaiError("invalid_input", `${JSON.stringify(line.slice(0, 80))} has a quote that is not closed`);
}
