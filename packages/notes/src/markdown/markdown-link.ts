import { CHAR } from "./scan.ts";

const MAX_PARENTHESES = 32;

/** The destination and the end of a Markdown link whose `(` stands at `open`, if it is one. */
export function markdownLinkEnd(
  text: string,
  open: number,
  end: number,
): { readonly destination: string; readonly end: number } | undefined {
  let i = skipSpace(text, open + 1, end);
  const from = i;
  let to: number;
  if (text.charCodeAt(i) === CHAR.less) {
    i += 1;
    while (i < end && text.charCodeAt(i) !== CHAR.greater) {
      if (text.charCodeAt(i) === CHAR.newline || text.charCodeAt(i) === CHAR.less) return undefined;
      i += 1;
    }
    if (i >= end) return undefined;
    to = i;
    i += 1;
  } else {
    i = bareDestinationEnd(text, i, end);
    if (i === -1) return undefined;
    to = i;
  }
  const destination = text.slice(text.charCodeAt(from) === CHAR.less ? from + 1 : from, to);
  i = skipTitle(text, skipSpace(text, i, end), end);
  return i !== -1 && text.charCodeAt(i) === CHAR.close && i < end ? { destination, end: i + 1 } : undefined;
}

function bareDestinationEnd(text: string, from: number, end: number): number {
  let depth = 0;
  let i = from;
  for (; i < end; i += 1) {
    const code = text.charCodeAt(i);
    if (code <= CHAR.space) break;
    if (code === CHAR.backslash) i += 1;
    else if (code === CHAR.open) {
      // A second link inside this one means that the first is none; stopping here keeps the scan linear.
      if (text.charCodeAt(i - 1) === CHAR.unbracket) return -1;
      depth += 1;
      if (depth > MAX_PARENTHESES) return -1;
    } else if (code === CHAR.close) {
      if (depth === 0) break;
      depth -= 1;
    }
  }
  return depth === 0 ? Math.min(i, end) : -1;
}

function skipTitle(text: string, from: number, end: number): number {
  const quote = text.charCodeAt(from);
  if (quote !== CHAR.quote && quote !== CHAR.apostrophe) return from;
  for (let i = from + 1; i < end; i += 1) {
    const code = text.charCodeAt(i);
    if (code === quote) return skipSpace(text, i + 1, end);
    if (code === CHAR.open && text.charCodeAt(i - 1) === CHAR.unbracket) return -1;
  }
  return -1;
}

function skipSpace(text: string, from: number, end: number): number {
  let i = from;
  while (i < end && (text.charCodeAt(i) === CHAR.space || text.charCodeAt(i) === CHAR.tab)) i += 1;
  return i;
}
