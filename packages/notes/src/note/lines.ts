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

/** Replaces one stretch of `text`. */
export function splice(text: string, start: number, end: number, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}
