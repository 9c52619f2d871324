/** The part of a line that is shown of it. */
export interface ClippedLine {
  readonly text: string;
  /** The character of the line, counted from 1, that the match begins with. Absent: the line is shown whole. */
  readonly column?: number;
  /** Characters that the whole line has. Absent: it is shown whole. */
  readonly line_length?: number;
}

/** A line, or a stretch of it around a match. */
export interface LineStretch {
  readonly bytes: Buffer;
  /** Offset in `bytes` at which the match begins. */
  readonly at: number;
  /** Characters of the line before the stretch. Default 0. */
  readonly charsBefore?: number;
  /** Characters of the line behind it. Default 0. */
  readonly charsAfter?: number;
}

const SHOWN_CHARS = 400;
const BEFORE_CHARS = 100;
/** No character has more bytes in UTF-8. */
const CHAR_BYTES = 4;
/** Bytes on either side of a match in which everything lies that is shown. */
export const STRETCH_BYTES: number = SHOWN_CHARS * CHAR_BYTES;

/**
 * Shows a line whole, or where it is long, the part around its match, with marks where something is left out.
 *
 * Contract: at most 400 characters and the marks, whatever the line's length; what is not UTF-8 is shown as such.
 */
export function clipLine({ bytes, at, charsBefore = 0, charsAfter = 0 }: LineStretch): ClippedLine {
  const before = bytes.toString("utf8", firstWhole(bytes, charsBefore > 0), at);
  const after = charsAfter > 0 ? decodeBegun(bytes.subarray(at)) : bytes.toString("utf8", at);
  if (charsBefore + charsAfter === 0 && before.length + after.length <= SHOWN_CHARS) return { text: before + after };
  // A character that is cut at the end is not among those behind it.
  const behind = charsAfter > 0 ? countChars(bytes, at, bytes.length) : after.length;
  const shownBefore = before.slice(-Math.max(BEFORE_CHARS, SHOWN_CHARS - after.length));
  const shownAfter = after.slice(0, SHOWN_CHARS - shownBefore.length);
  const isBegun = charsBefore > 0 || shownBefore.length < before.length;
  const isEnded = charsAfter > 0 || shownAfter.length < after.length;
  return {
    text: `${isBegun ? "…" : ""}${shownBefore}${shownAfter}${isEnded ? "…" : ""}`.toWellFormed(),
    column: charsBefore + before.length + 1,
    line_length: charsBefore + before.length + behind + charsAfter,
  };
}

/** Where the first character begins that is not cut. */
function firstWhole(bytes: Buffer, isCut: boolean): number {
  let from = 0;
  if (!isCut) return from;
  while (from < CHAR_BYTES && ((bytes[from] ?? 0) & 0xc0) === 0x80) from++;
  return from;
}

/** Contract: a character that is cut at the end is left out. */
function decodeBegun(bytes: Buffer): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
}

/** The length that text in UTF-8 has as a string. */
export function countChars(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if ((byte & 0xc0) !== 0x80) count += byte >= 0xf0 ? 2 : 1;
  }
  return count;
}
