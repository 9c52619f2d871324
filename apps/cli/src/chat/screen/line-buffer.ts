import { graphemesOf, widthOf } from "./text-width.ts";

/** What is being typed. The cursor is an index between characters that a person sees as single. */
export interface LineBuffer {
  readonly text: string;
  readonly cursor: number;
}

export const EMPTY: LineBuffer = { text: "", cursor: 0 };

export function bufferOf(text: string): LineBuffer {
  return { text, cursor: text.length };
}

export function insert({ text, cursor }: LineBuffer, added: string): LineBuffer {
  return { text: text.slice(0, cursor) + added + text.slice(cursor), cursor: cursor + added.length };
}

/** Removes what lies between the cursor and where `move` would take it. */
export function erase(buffer: LineBuffer, move: (buffer: LineBuffer) => LineBuffer): LineBuffer {
  const target = move(buffer).cursor;
  const [start, end] = target < buffer.cursor ? [target, buffer.cursor] : [buffer.cursor, target];
  return { text: buffer.text.slice(0, start) + buffer.text.slice(end), cursor: start };
}

export function left({ text, cursor }: LineBuffer): LineBuffer {
  return { text, cursor: cursor - (graphemesOf(text.slice(0, cursor)).at(-1)?.length ?? 0) };
}

export function right({ text, cursor }: LineBuffer): LineBuffer {
  return { text, cursor: cursor + (graphemesOf(text.slice(cursor))[0]?.length ?? 0) };
}

export function wordLeft({ text, cursor }: LineBuffer): LineBuffer {
  const before = text.slice(0, cursor).trimEnd();
  return { text, cursor: before.length - (/\S+$/.exec(before)?.[0].length ?? 0) };
}

export function wordRight({ text, cursor }: LineBuffer): LineBuffer {
  return { text, cursor: cursor + (/^\s*\S*/.exec(text.slice(cursor))?.[0].length ?? 0) };
}

export function lineStart({ text, cursor }: LineBuffer): LineBuffer {
  return { text, cursor: text.lastIndexOf("\n", cursor - 1) + 1 };
}

export function lineEnd({ text, cursor }: LineBuffer): LineBuffer {
  const end = text.indexOf("\n", cursor);
  return { text, cursor: end === -1 ? text.length : end };
}

/** One line up or down in the same column. Contract: `undefined` when there is no such line. */
export function vertical(buffer: LineBuffer, direction: "up" | "down"): LineBuffer | undefined {
  const { text, cursor } = buffer;
  const start = lineStart(buffer).cursor;
  const column = widthOf(text.slice(start, cursor));
  if (direction === "up") {
    return start === 0 ? undefined : atColumn(text, lineStart({ text, cursor: start - 1 }).cursor, column);
  }
  const end = lineEnd(buffer).cursor;
  return end === text.length ? undefined : atColumn(text, end + 1, column);
}

function atColumn(text: string, start: number, column: number): LineBuffer {
  let cursor = start;
  let used = 0;
  for (const grapheme of graphemesOf(text.slice(start, lineEnd({ text, cursor: start }).cursor))) {
    used += widthOf(grapheme);
    if (used > column) break;
    cursor += grapheme.length;
  }
  return { text, cursor };
}
