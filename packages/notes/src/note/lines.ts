/** The line ending that most lines of `text` have. */
export function lineEnding(text: string): "\n" | "\r\n" {
  let windows = 0;
  let all = 0;
  for (let at = text.indexOf("\n"); at !== -1 && all < 1_000; at = text.indexOf("\n", at + 1)) {
    all += 1;
    if (text.charCodeAt(at - 1) === 13) windows += 1;
  }
  return windows * 2 > all ? "\r\n" : "\n";
}

/** Gives `text` the line endings of its new surroundings. */
export function withLineEnding(text: string, ending: "\n" | "\r\n"): string {
  const plain = text.replaceAll("\r\n", "\n");
  return ending === "\n" ? plain : plain.replaceAll("\n", "\r\n");
}

/** How many lines `text` has. A last line ending starts no further line. */
export function countLines(text: string): number {
  if (text === "") return 0;
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < text.length - 1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

/** The lines `start` to `end`, counted from 1, both included, with their line endings. */
export function sliceLines(text: string, start: number, end: number): string {
  let from = 0;
  for (let line = 1; line < start; line += 1) {
    const newline = text.indexOf("\n", from);
    if (newline === -1) return "";
    from = newline + 1;
  }
  let to = from;
  for (let line = start; line <= end && to < text.length; line += 1) {
    const newline = text.indexOf("\n", to);
    to = newline === -1 ? text.length : newline + 1;
  }
  return text.slice(from, to);
}

/** Replaces one stretch of `text`. */
export function splice(text: string, start: number, end: number, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}
