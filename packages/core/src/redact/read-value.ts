/** A value in a text, without the signs around it. */
export interface ReadValue {
  readonly start: number;
  readonly end: number;
  readonly quoted: boolean;
}

/** Quotes, also as a string inside a string has them and as XML writes them. */
export const QUOTE: string = String.raw`(?:\\{0,15}["'\`]|&quot;|&#3[49];|%22)`;
/** Characters of a value that are judged; a value that is hidden is hidden to its end. */
const JUDGED = 256;
const BARE_END = /[\s"'`,;<>(){}[\]|\\&]|%26|%22/;
const OPENING = /(?<escape>\\{0,15})(?<sign>"""|'''|["'`])|(?<entity>&quot;|&#3[49];|%22)/y;
const LINE_END = /\r?\n|\\{1,15}[rn]/g;

/**
 * The value that begins at a place: in quotes of whatever depth, over several lines in triple quotes, or bare.
 *
 * Contract: reads a bounded number of characters; `endOfValue` finds where a longer one ends.
 */
export function readValue(text: string, from: number): ReadValue {
  OPENING.lastIndex = from;
  const opening = OPENING.exec(text)?.groups;
  if (opening === undefined) {
    const length = text.slice(from, from + JUDGED).search(BARE_END);
    return { start: from, end: length === -1 ? Math.min(from + JUDGED, text.length) : from + length, quoted: false };
  }
  const start = OPENING.lastIndex;
  const { escape = "", sign, entity } = opening;
  const end = closing(text, start, start + JUDGED, entity ?? sign ?? "", escape.length);
  return { start, end, quoted: true };
}

/** End of a value that may be longer than the characters that were judged. */
export function endOfValue(text: string, from: number, value: ReadValue): number {
  if (value.end - value.start < JUDGED) return value.end;
  if (!value.quoted) {
    const more = text.slice(value.end).search(BARE_END);
    return more === -1 ? text.length : value.end + more;
  }
  OPENING.lastIndex = from;
  const { escape = "", sign, entity } = OPENING.exec(text)?.groups ?? {};
  return closing(text, value.start, text.length, entity ?? sign ?? "", escape.length);
}

/** Where the closing quote stands, the end of the line when there is none, or the limit. */
function closing(text: string, from: number, limit: number, sign: string, depth: number): number {
  const part = text.slice(from, limit);
  const line = sign.length === 3 ? -1 : part.search(/\r?\n/);
  const stop = line === -1 ? part.length : line;
  for (let at = part.indexOf(sign); at !== -1 && at < stop; at = part.indexOf(sign, at + 1)) {
    let escapes = 0;
    while (escapes < at && part[at - 1 - escapes] === "\\") escapes++;
    if (escapes <= depth) return from + at - escapes;
  }
  return from + stop;
}

/** Where the line ends that a place is in, also when the text is a string inside another one. */
export function endOfLine(text: string, from: number, limit = 4_096): number {
  const part = text.slice(from, from + limit);
  LINE_END.lastIndex = 0;
  const end = LINE_END.exec(part);
  return from + (end === null ? part.length : end.index);
}

/** The lines of a YAML block that stand deeper than the line of its key. Contract: from the first of them to the end of the last. */
export function readBlock(text: string, key: number, from: number): ReadValue {
  const line = text.lastIndexOf("\n", key - 1) + 1;
  const indent = /^[ \t]{0,64}(?:- )?/.exec(text.slice(line, line + 70))?.[0].length ?? 0;
  const deeper = new RegExp(`(?:[ \\t]{${indent + 1},200}[^\\n]*|[ \\t]*)(?:\\n|$)`, "y");
  let end = from;
  while (end < text.length) {
    deeper.lastIndex = end;
    if (!deeper.test(text) || deeper.lastIndex === end) break;
    end = deeper.lastIndex;
  }
  const body = text.slice(from, end);
  const first = body.search(/\S/);
  return { start: first === -1 ? from : from + first, end: from + body.trimEnd().length, quoted: true };
}
