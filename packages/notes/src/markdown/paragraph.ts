import { isTableRule } from "./block-marks.ts";
import type { InlineScanner } from "./inline-scanner.ts";
import { CHAR, type ScanSink } from "./scan.ts";

const BLOCK_ID = /(?:^|\s)\^([A-Za-z0-9-]+)$/;
const MAX_BLOCK_ID = 200;

/** Hands a finished paragraph on, a table cell by cell: an unescaped `|` ends a cell, also inside a link. */
export function flushParagraph(
  text: string,
  start: number,
  end: number,
  inline: InlineScanner,
  sink: ScanSink,
  commented: boolean,
): void {
  if (isTable(text, start, end)) forEachCell(text, start, end, inline);
  else inline(start, end);
  if (commented) return;
  const tail = text.slice(Math.max(start, end - MAX_BLOCK_ID), end).trimEnd();
  const id = tail.includes("^") ? BLOCK_ID.exec(tail)?.[1] : undefined;
  if (id !== undefined) sink.blocks.push({ id, start, end });
}

function isTable(text: string, start: number, end: number): boolean {
  const head = text.indexOf("\n", start);
  if (head === -1 || head >= end) return false;
  const second = text.indexOf("\n", head + 1);
  let from = head + 1;
  const to = second === -1 || second > end ? end : second;
  // The rule may stand behind the marks of a quote.
  while (from < to && (text.charCodeAt(from) === CHAR.greater || text.charCodeAt(from) <= CHAR.space)) from += 1;
  if (!isTableRule(text, from, to)) return false;
  const pipe = text.indexOf("|", start);
  return pipe !== -1 && pipe < head;
}

function forEachCell(text: string, start: number, end: number, inline: InlineScanner): void {
  let from = start;
  for (let i = start; i < end; i += 1) {
    const code = text.charCodeAt(i);
    if (code === CHAR.backslash) i += 1;
    else if (code === CHAR.pipe || code === CHAR.newline) {
      if (i > from) inline(from, i);
      from = i + 1;
    }
  }
  if (end > from) inline(from, end);
}
