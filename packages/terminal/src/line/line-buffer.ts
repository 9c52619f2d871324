import { edgeAfter, edgeBefore, graphemesOf, widthOf } from "../text/text-width.ts";

/** What is being typed. The cursor is an index between characters that a person sees as single. */
export interface LineBuffer {
  readonly text: string;
  readonly cursor: number;
}

const WORD = /[\p{L}\p{N}\p{M}_]/u;
/** Units of a line that are looked at to keep the column. */
const LONGEST_COLUMN = 4_000;

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
  return { text, cursor: edgeBefore(text, cursor) };
}

export function right({ text, cursor }: LineBuffer): LineBuffer {
  return { text, cursor: edgeAfter(text, cursor) };
}

/** To the beginning of a word of letters and digits. */
export function wordLeft(buffer: LineBuffer): LineBuffer {
  return skipBack(
    skipBack(buffer, (one) => !WORD.test(one)),
    (one) => WORD.test(one),
  );
}

/** To the end of a word of letters and digits. */
export function wordRight(buffer: LineBuffer): LineBuffer {
  return skipOn(
    skipOn(buffer, (one) => !WORD.test(one)),
    (one) => WORD.test(one),
  );
}

/** To the beginning of what stands between spaces. */
export function blankLeft(buffer: LineBuffer): LineBuffer {
  return skipBack(
    skipBack(buffer, (one) => /\s/.test(one)),
    (one) => /\S/.test(one),
  );
}

/** Moves by code points: a word never ends inside one that a person sees as single, since marks count as letters. */
function skipBack({ text, cursor }: LineBuffer, skips: (character: string) => boolean): LineBuffer {
  let at = cursor;
  while (at > 0) {
    const before = /[\udc00-\udfff]/.test(text[at - 1] ?? "") ? (text.codePointAt(at - 2) ?? 0) : 0;
    const length = before > 0xffff ? 2 : 1;
    if (!skips(text.slice(at - length, at))) break;
    at -= length;
  }
  return { text, cursor: at };
}

function skipOn({ text, cursor }: LineBuffer, skips: (character: string) => boolean): LineBuffer {
  let at = cursor;
  while (at < text.length) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (!skips(character)) break;
    at += character.length;
  }
  return { text, cursor: at };
}

export function lineStart({ text, cursor }: LineBuffer): LineBuffer {
  return { text, cursor: cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1 };
}

export function lineEnd({ text, cursor }: LineBuffer): LineBuffer {
  const end = text.indexOf("\n", cursor);
  return { text, cursor: end === -1 ? text.length : end };
}

/** One line up or down in the same column. Contract: `undefined` when there is no such line. */
export function vertical(buffer: LineBuffer, direction: "up" | "down"): LineBuffer | undefined {
  const { text, cursor } = buffer;
  const start = lineStart(buffer).cursor;
  const column = cursor - start > LONGEST_COLUMN ? cursor - start : widthOf(text.slice(start, cursor));
  if (direction === "up") {
    return start === 0 ? undefined : atColumn(text, lineStart({ text, cursor: start - 1 }).cursor, column);
  }
  const end = lineEnd(buffer).cursor;
  return end === text.length ? undefined : atColumn(text, end + 1, column);
}

function atColumn(text: string, start: number, column: number): LineBuffer {
  let cursor = start;
  let used = 0;
  const end = Math.min(lineEnd({ text, cursor: start }).cursor, start + LONGEST_COLUMN);
  for (const grapheme of graphemesOf(text.slice(start, end))) {
    used += widthOf(grapheme);
    if (used > column) break;
    cursor += grapheme.length;
  }
  return { text, cursor };
}
