import {
  fenceLength,
  footnoteMarkEnd,
  headingLevel,
  headingText,
  isBlank,
  listMarkerEnd,
  setextLevel,
  thematicBreakStop,
} from "./block-marks.ts";
import { type HtmlEnd, htmlBlockStart } from "./html.ts";
import { createInlineScanner } from "./inline-scanner.ts";
import { advanceColumns, advanceTo, type LineCursor, measureIndent } from "./line-cursor.ts";
import { flushParagraph } from "./paragraph.ts";
import { type BodyScan, CHAR, type ScanSink } from "./scan.ts";

/** Width of a list item's indentation, or 0 for a block quote. */
type Container = number;

/** A block whose lines are not running text. */
type Raw =
  | { readonly kind: "fence"; readonly mark: number; readonly length: number }
  | { readonly kind: "html"; readonly end: HtmlEnd }
  | { readonly kind: "math" };

const QUOTE: Container = 0;
const FOOTNOTE_WIDTH = 4;

/**
 * Reads a note's body once, line by line: which lines are code, HTML or math and which are text, with the containers
 * (quotes, lists, footnotes) that CommonMark gives them. The text goes on to the inline scanner. As in Obsidian, headings
 * in containers do not count, an underlined heading has one line, and math that nothing closes runs to the end.
 *
 * Contract: never throws; time grows linearly with the text, whatever it is.
 */
export function scanBody(text: string, bodyStart: number): BodyScan {
  const sink: ScanSink = { links: [], tags: [], headings: [], blocks: [] };
  const inline = createInlineScanner(text, sink);
  const containers: Container[] = [];
  let quotes = 0;
  let raw: Raw | undefined;
  let rawDepth = 0;
  let paragraph = -1;
  let paragraphEnd = -1;
  let firstLineEnd = -1;
  let commented = false;

  function closeParagraph(): void {
    if (paragraph === -1) return;
    flushParagraph(text, paragraph, paragraphEnd, inline, sink, commented);
    paragraph = -1;
  }

  function truncate(depth: number): void {
    while (containers.length > depth) if (containers.pop() === QUOTE) quotes -= 1;
  }

  function closeTo(depth: number): void {
    if (depth === containers.length) return;
    closeParagraph();
    truncate(depth);
  }

  function push(container: Container): void {
    closeParagraph();
    containers.push(container);
    if (container === QUOTE) quotes += 1;
  }

  /** Moves over the marks of the containers that go on in this line; answers how many do. */
  function matchContainers(cursor: LineCursor): number {
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
  function takeBlank(): void {
    closeParagraph();
    if (quotes > 0) truncate(containers.indexOf(QUOTE));
    if (raw !== undefined && (rawDepth > containers.length || (raw.kind === "html" && raw.end === "blank"))) {
      raw = undefined;
    }
  }

  function continuesRaw(block: Raw, cursor: LineCursor): void {
    const { indent, at } = measureIndent(cursor);
    if (block.kind === "fence") {
      const length = indent > 3 ? 0 : fenceLength(text, at, cursor.end);
      if (length >= block.length && text.charCodeAt(at) === block.mark && blankFrom(text, at + length, cursor.end)) {
        raw = undefined;
      }
    } else if (block.kind === "math") {
      if (contains(text, "$$", at, cursor.end)) raw = undefined;
    } else if (block.end === "blank" ? at >= cursor.end : block.end.test(text.slice(at, cursor.end))) {
      raw = undefined;
    }
  }

  function startRaw(block: Raw): void {
    closeParagraph();
    raw = block;
    rawDepth = containers.length;
  }

  /** Takes what stands behind the containers' marks. Several containers may start in one line. */
  function takeLine(cursor: LineCursor, matched: number, lineStart: number): void {
    let depth = matched;
    let notBreak = -1;
    for (;;) {
      const { indent, at } = measureIndent(cursor);
      const { end } = cursor;
      const lazy = paragraph !== -1 && depth <= containers.length;
      if (at >= end) {
        closeTo(depth);
        return closeParagraph();
      }
      if (indent > 3) {
        if (lazy) paragraphEnd = end;
        else closeTo(depth);
        return;
      }
      const code = text.charCodeAt(at);
      if (code === CHAR.greater) {
        closeTo(depth);
        push(QUOTE);
        depth = containers.length;
        advanceTo(cursor, at + 1);
        if (cursor.pos < end && isBlank(text.charCodeAt(cursor.pos))) advanceColumns(cursor, 1);
        continue;
      }
      const fence = fenceLength(text, at, end);
      if (fence > 0) {
        closeTo(depth);
        return startRaw({ kind: "fence", mark: code, length: fence });
      }
      const level = code === CHAR.hash ? headingLevel(text, at, end) : 0;
      if (level > 0) {
        closeTo(depth);
        closeParagraph();
        const title = headingText(text, at + level, end);
        if (!commented && depth === 0) sink.headings.push({ level, text: title, start: lineStart, end });
        return inline(at + level, end);
      }
      if (code === CHAR.less) {
        const ends = htmlBlockStart(text.slice(at, end), lazy);
        if (ends !== undefined) {
          closeTo(depth);
          startRaw({ kind: "html", end: ends });
          if (ends !== "blank" && ends.test(text.slice(at, end))) raw = undefined;
          return;
        }
      }
      if (code === CHAR.dollar && text.charCodeAt(at + 1) === CHAR.dollar) {
        if (!contains(text, "$$", at + 2, end)) {
          closeTo(depth);
          return startRaw({ kind: "math" });
        }
      }
      if (paragraph !== -1 && depth === containers.length && paragraphEnd === firstLineEnd) {
        const underline = setextLevel(text, at, end);
        if (underline > 0) {
          const title = text.slice(paragraph, paragraphEnd).trim();
          if (!commented && depth === 0) sink.headings.push({ level: underline, text: title, start: paragraph, end });
          return closeParagraph();
        }
      }
      if (at > notBreak) {
        const stop = thematicBreakStop(text, at, end);
        if (stop === end) {
          closeTo(depth);
          return closeParagraph();
        }
        // The character that spoils a thematic break here spoils it for every later mark of the line, if that
        // is the same mark.
        if (code === CHAR.dash || code === CHAR.star) notBreak = stop;
      }
      const marker = listMarkerEnd(text, at, end);
      if (marker !== -1 && !(lazy && marker >= end)) {
        closeTo(depth);
        advanceTo(cursor, marker);
        const gap = measureIndent(cursor);
        const padding = gap.at >= end || gap.indent > 4 ? 1 : gap.indent;
        push(indent + (marker - at) + padding);
        depth = containers.length;
        if (gap.at >= end) return;
        advanceColumns(cursor, padding);
        continue;
      }
      const footnote = footnoteMarkEnd(text, at, end);
      if (footnote !== -1) {
        closeTo(depth);
        push(FOOTNOTE_WIDTH);
        depth = containers.length;
        advanceTo(cursor, footnote);
        const gap = measureIndent(cursor);
        if (gap.at >= end) return;
        advanceTo(cursor, gap.at);
        continue;
      }
      if (code === CHAR.percent && text.charCodeAt(at + 1) === CHAR.percent && isOdd(text, at, end)) {
        closeTo(depth);
        closeParagraph();
        commented = !commented;
        return inline(at, end);
      }
      if (!lazy) closeTo(depth);
      if (paragraph === -1) {
        paragraph = at;
        firstLineEnd = end;
      }
      paragraphEnd = end;
      return;
    }
  }

  for (let lineStart = bodyStart; lineStart < text.length;) {
    const newline = text.indexOf("\n", lineStart);
    const next = newline === -1 ? text.length : newline + 1;
    let end = newline === -1 ? text.length : newline;
    if (end > lineStart && text.charCodeAt(end - 1) === CHAR.carriageReturn) end -= 1;
    const cursor: LineCursor = { text, end, pos: lineStart, column: 0 };
    if (blankFrom(text, lineStart, end)) {
      takeBlank();
    } else {
      const depth = matchContainers(cursor);
      if (raw !== undefined && depth < rawDepth) raw = undefined;
      if (raw === undefined) takeLine(cursor, depth, lineStart);
      else continuesRaw(raw, cursor);
    }
    lineStart = next;
  }
  closeParagraph();
  return sink;
}

function blankFrom(text: string, from: number, end: number): boolean {
  let i = from;
  while (i < end && isBlank(text.charCodeAt(i))) i += 1;
  return i >= end;
}

function contains(text: string, needle: string, from: number, end: number): boolean {
  if (end - from < needle.length) return false;
  const at = text.slice(from, end).indexOf(needle);
  return at !== -1;
}

/** Whether the line holds an odd number of `%%`. */
function isOdd(text: string, from: number, end: number): boolean {
  return text.slice(from, end).split("%%").length % 2 === 0;
}
