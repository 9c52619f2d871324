/** A line ends with `\n`; what follows the last one counts as a line unless it is empty. So `""` has none. */
export function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++;
  return text === "" || text.endsWith("\n") ? lines : lines + 1;
}

/** The text of `count` lines from line `first` on, 1-based, each with its line ending. */
export function sliceLines(text: string, first: number, count: number): string {
  const start = startOfLine(text, first);
  return text.slice(start, endAfter(text, start, count));
}

/** Where line `line` begins, or the end of the text when there are fewer. */
export function startOfLine(text: string, line: number): number {
  return endAfter(text, 0, line - 1);
}

function endAfter(text: string, start: number, lines: number): number {
  let end = start;
  for (let left = lines; left > 0; left--) {
    const newline = text.indexOf("\n", end);
    if (newline === -1) return text.length;
    end = newline + 1;
  }
  return end;
}
