import { CHAR } from "./scan.ts";

const MAX_ORDINAL_DIGITS = 9;

/** The end of a list marker (`-`, `*`, `+`, `1.`, `2)`) at `at`, or -1. White space or the line's end must follow. */
export function listMarkerEnd(text: string, at: number, end: number): number {
  const code = text.charCodeAt(at);
  let after = -1;
  if (code === CHAR.dash || code === CHAR.star || code === CHAR.plus) {
    after = at + 1;
  } else if (code >= CHAR.zero && code <= CHAR.nine) {
    let i = at + 1;
    while (i < end && i - at < MAX_ORDINAL_DIGITS && isDigit(text.charCodeAt(i))) i += 1;
    const mark = text.charCodeAt(i);
    if (i < end && (mark === CHAR.dot || mark === CHAR.close)) after = i + 1;
  }
  return after !== -1 && (after >= end || isBlank(text.charCodeAt(after))) ? after : -1;
}

/** The end of a footnote's mark `[^id]:` at `at`, or -1. */
export function footnoteMarkEnd(text: string, at: number, end: number): number {
  if (text.charCodeAt(at) !== CHAR.bracket || text.charCodeAt(at + 1) !== CHAR.caret) return -1;
  for (let i = at + 2; i < end; i += 1) {
    const code = text.charCodeAt(i);
    if (code === CHAR.unbracket) return i > at + 2 && text.charCodeAt(i + 1) === CHAR.colon ? i + 2 : -1;
    if (isBlank(code)) return -1;
  }
  return -1;
}

/** The length of a code fence at `at`, or 0. Backticks after a fence of backticks make it ordinary text. */
export function fenceLength(text: string, at: number, end: number): number {
  const mark = text.charCodeAt(at);
  if (mark !== CHAR.backtick && mark !== CHAR.tilde) return 0;
  let i = at + 1;
  while (i < end && text.charCodeAt(i) === mark) i += 1;
  const length = i - at;
  if (length < 3) return 0;
  if (mark === CHAR.tilde) return length;
  for (; i < end; i += 1) if (text.charCodeAt(i) === CHAR.backtick) return 0;
  return length;
}

/** The level of an ATX heading at `at`, or 0. */
export function headingLevel(text: string, at: number, end: number): number {
  let i = at;
  while (i < end && text.charCodeAt(i) === CHAR.hash) i += 1;
  const level = i - at;
  return level >= 1 && level <= 6 && (i >= end || isBlank(text.charCodeAt(i))) ? level : 0;
}

/** A heading's text: without the marks around it. */
export function headingText(text: string, from: number, to: number): string {
  return text
    .slice(from, to)
    .trim()
    .replace(/(?:^|[ \t])#+$/, "")
    .trim();
}

/** How far the line is `***`, `---` or `___` with any spaces: up to its end when it is a break, else to what spoils it. */
export function thematicBreakStop(text: string, at: number, end: number): number {
  const mark = text.charCodeAt(at);
  if (mark !== CHAR.star && mark !== CHAR.dash && mark !== CHAR.underscore) return at;
  let count = 0;
  for (let i = at; i < end; i += 1) {
    const code = text.charCodeAt(i);
    if (code === mark) count += 1;
    else if (!isBlank(code)) return i;
  }
  return count >= 3 ? end : at;
}

/** The level of a setext underline (`===` is 1, `---` is 2), or 0. A dash with white space behind it starts a list. */
export function setextLevel(text: string, at: number, end: number): number {
  const mark = text.charCodeAt(at);
  if (mark !== CHAR.equals && mark !== CHAR.dash) return 0;
  let i = at;
  while (i < end && text.charCodeAt(i) === mark) i += 1;
  if (i < end && mark === CHAR.dash && i === at + 1) return 0;
  while (i < end && isBlank(text.charCodeAt(i))) i += 1;
  return i < end ? 0 : mark === CHAR.equals ? 1 : 2;
}

/** Whether the line can stand under a table's head: `| --- | :-: |`. */
export function isTableRule(text: string, from: number, to: number): boolean {
  let dashes = false;
  let pipes = false;
  for (let i = from; i < to; i += 1) {
    const code = text.charCodeAt(i);
    if (code === CHAR.dash) dashes = true;
    else if (code === CHAR.pipe) pipes = true;
    else if (code !== CHAR.colon && !isBlank(code)) return false;
  }
  return dashes && pipes;
}

export function isBlank(code: number): boolean {
  return code === CHAR.space || code === CHAR.tab || code === CHAR.carriageReturn;
}

function isDigit(code: number): boolean {
  return code >= CHAR.zero && code <= CHAR.nine;
}
