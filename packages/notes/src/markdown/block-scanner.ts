import { fenceLength, isBlank } from "./block-marks.ts";
import { advanceColumns, advanceTo, type LineCursor, measureIndent } from "./line-cursor.ts";
import {
  closeParagraph,
  type Container,
  createOpenBlocks,
  type OpenBlocks,
  QUOTE,
  type Raw,
  truncate,
} from "./open-blocks.ts";
import { type BodyScan, CHAR } from "./scan.ts";
import { contains, takeLine } from "./take-line.ts";

/**
 * Reads a note's body once, line by line: which lines are code, HTML or math and which are text, with the containers
 * (quotes, lists, footnotes) that CommonMark gives them. The text goes on to the inline scanner. As in Obsidian, headings
 * in containers do not count, an underlined heading has one line, and math that nothing closes runs to the end.
 *
 * Contract: never throws; time grows linearly with the text, whatever it is.
 */
export function scanBody(text: string, bodyStart: number): BodyScan {
  const open = createOpenBlocks(text);
  for (let lineStart = bodyStart; lineStart < text.length;) {
    const newline = text.indexOf("\n", lineStart);
    const next = newline === -1 ? text.length : newline + 1;
    let end = newline === -1 ? text.length : newline;
    if (end > lineStart && text.charCodeAt(end - 1) === CHAR.carriageReturn) end -= 1;
    const cursor: LineCursor = { text, end, pos: lineStart, column: 0 };
    if (blankFrom(text, lineStart, end)) {
      takeBlank(open);
    } else {
      const depth = matchContainers(open, cursor);
      if (open.raw !== undefined && depth < open.rawDepth) open.raw = undefined;
      if (open.raw === undefined) takeLine(open, cursor, depth, lineStart);
      else if (endsRaw(text, open.raw, cursor)) open.raw = undefined;
    }
    lineStart = next;
  }
  closeParagraph(open);
  return open.sink;
}

/** Moves over the marks of the containers that go on in this line; answers how many do. */
function matchContainers({ text, containers }: OpenBlocks, cursor: LineCursor): number {
  let depth = 0;
  let { indent, at } = measureIndent(cursor);
  for (; depth < containers.length; depth += 1) {
    const width = containers[depth] as Container;
    if (width === QUOTE) {
      if (indent > 3 || at >= cursor.end || text.charCodeAt(at) !== CHAR.greater) break;
      advanceTo(cursor, at + 1);
      if (cursor.pos < cursor.end && isBlank(text.charCodeAt(cursor.pos))) advanceColumns(cursor, 1);
      ({ indent, at } = measureIndent(cursor));
    } else if (at < cursor.end) {
      if (indent < width) break;
      // Measuring again for each of many nested items would cost their number times the indentation.
      advanceColumns(cursor, width);
      indent -= width;
    }
  }
  return depth;
}

/** A blank line: quotes end, lists stay open, and so does raw text that may hold blank lines. */
function takeBlank(open: OpenBlocks): void {
  closeParagraph(open);
  if (open.quotes > 0) truncate(open, open.containers.indexOf(QUOTE));
  const { raw, rawDepth, containers } = open;
  if (raw === undefined) return;
  if (rawDepth > containers.length || (raw.kind === "html" && raw.end === "blank")) open.raw = undefined;
}

/** Whether a line ends the raw text that it stands in. */
function endsRaw(text: string, block: Raw, cursor: LineCursor): boolean {
  const { indent, at } = measureIndent(cursor);
  if (block.kind === "fence") {
    const length = indent > 3 ? 0 : fenceLength(text, at, cursor.end);
    return length >= block.length && text.charCodeAt(at) === block.mark && blankFrom(text, at + length, cursor.end);
  }
  if (block.kind === "math") return contains(text, "$$", at, cursor.end);
  return block.end === "blank" ? at >= cursor.end : block.end.test(text.slice(at, cursor.end));
}

function blankFrom(text: string, from: number, end: number): boolean {
  let i = from;
  while (i < end && isBlank(text.charCodeAt(i))) i += 1;
  return i >= end;
}
