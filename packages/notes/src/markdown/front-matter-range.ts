/** Where a note's front matter stands. */
export interface FrontMatterRange {
  /** The YAML between the fences; its last line ending is included. */
  readonly yamlStart: number;
  readonly yamlEnd: number;
  /** Offset behind the closing fence and its line ending. */
  readonly end: number;
}

const FENCE = /^---[ \t]*$/;

/**
 * The front matter of a note: a first line `---` and a later line `---`, as Obsidian reads it.
 *
 * Contract: anything else behind the first dashes, such as `---js`, is no front matter, so nothing ever runs it.
 */
export function findFrontMatter(text: string): FrontMatterRange | undefined {
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  if (!text.startsWith("---", start)) return undefined;
  const first = lineEnd(text, start);
  if (!FENCE.test(text.slice(start, first.end)) || first.next === text.length) return undefined;
  let at = first.next;
  for (;;) {
    const line = lineEnd(text, at);
    if (text.startsWith("---", at) && FENCE.test(text.slice(at, line.end))) {
      return { yamlStart: first.next, yamlEnd: at, end: line.next };
    }
    if (line.next >= text.length) return undefined;
    at = line.next;
  }
}

function lineEnd(text: string, from: number): { readonly end: number; readonly next: number } {
  const newline = text.indexOf("\n", from);
  if (newline === -1) return { end: text.length, next: text.length };
  return { end: text.charCodeAt(newline - 1) === 13 ? newline - 1 : newline, next: newline + 1 };
}
