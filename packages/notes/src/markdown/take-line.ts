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
import { htmlBlockStart } from "./html.ts";
import { advanceColumns, advanceTo, type LineCursor, measureIndent } from "./line-cursor.ts";
import { closeParagraph, closeTo, type OpenBlocks, pushContainer, QUOTE, startRaw } from "./open-blocks.ts";
import { CHAR } from "./scan.ts";

const FOOTNOTE_WIDTH = 4;

/** A line behind the marks of the containers that go on in it. */
interface Line {
  readonly cursor: LineCursor;
  readonly start: number;
  /** How many containers go on, or have begun, in this line. */
  depth: number;
  /** The character that spoils a thematic break for every mark before it. */
  notBreak: number;
}

/** Where in the line the text behind the marks begins. */
interface Place {
  readonly at: number;
  readonly indent: number;
  readonly code: number;
  /** Whether the line may go on with a paragraph of a container that is not marked in it. */
  readonly lazy: boolean;
}

/** Takes what stands behind the containers' marks. Several containers may start in one line. */
export function takeLine(open: OpenBlocks, cursor: LineCursor, matched: number, lineStart: number): void {
  const line: Line = { cursor, start: lineStart, depth: matched, notBreak: -1 };
  for (;;) {
    const { indent, at } = measureIndent(cursor);
    const lazy = open.paragraph !== -1 && line.depth <= open.containers.length;
    if (at >= cursor.end) {
      closeTo(open, line.depth);
      return closeParagraph(open);
    }
    if (indent > 3) {
      if (lazy) open.paragraphEnd = cursor.end;
      else closeTo(open, line.depth);
      return;
    }
    const place: Place = { at, indent, code: open.text.charCodeAt(at), lazy };
    if (place.code === CHAR.greater) {
      takeQuote(open, line, place);
      continue;
    }
    if (STARTS.some((takes) => takes(open, line, place))) return;
    const marked = startListItem(open, line, place) ?? startFootnote(open, line, place);
    if (marked === "goes on") continue;
    if (marked === undefined) takeText(open, line, place);
    return;
  }
}

function takeQuote(open: OpenBlocks, line: Line, { at }: Place): void {
  const { cursor } = line;
  closeTo(open, line.depth);
  pushContainer(open, QUOTE);
  line.depth = open.containers.length;
  advanceTo(cursor, at + 1);
  if (cursor.pos < cursor.end && isBlank(open.text.charCodeAt(cursor.pos))) advanceColumns(cursor, 1);
}

/** Takes the whole line when it is one of these, in this order. */
const STARTS: readonly ((open: OpenBlocks, line: Line, place: Place) => boolean)[] = [
  takesFence,
  takesHeading,
  takesHtml,
  takesMath,
  takesUnderline,
  takesBreak,
];

function takesFence(open: OpenBlocks, { cursor, depth }: Line, { at, code }: Place): boolean {
  const length = fenceLength(open.text, at, cursor.end);
  if (length <= 0) return false;
  closeTo(open, depth);
  startRaw(open, { kind: "fence", mark: code, length });
  return true;
}

function takesHeading(open: OpenBlocks, { cursor: { end }, depth, start }: Line, { at, code }: Place): boolean {
  const { text, sink } = open;
  const level = code === CHAR.hash ? headingLevel(text, at, end) : 0;
  if (level <= 0) return false;
  closeTo(open, depth);
  closeParagraph(open);
  const title = headingText(text, at + level, end);
  if (!open.commented && depth === 0) sink.headings.push({ level, text: title, start, end });
  open.inline(at + level, end);
  return true;
}

function takesHtml(open: OpenBlocks, { cursor: { end }, depth }: Line, { at, code, lazy }: Place): boolean {
  if (code !== CHAR.less) return false;
  const ends = htmlBlockStart(open.text.slice(at, end), lazy);
  if (ends === undefined) return false;
  closeTo(open, depth);
  startRaw(open, { kind: "html", end: ends });
  if (ends !== "blank" && ends.test(open.text.slice(at, end))) open.raw = undefined;
  return true;
}

function takesMath(open: OpenBlocks, { cursor: { end }, depth }: Line, { at, code }: Place): boolean {
  if (code !== CHAR.dollar || open.text.charCodeAt(at + 1) !== CHAR.dollar) return false;
  if (contains(open.text, "$$", at + 2, end)) return false;
  closeTo(open, depth);
  startRaw(open, { kind: "math" });
  return true;
}

/** An underline makes a heading of the one line before it. */
function takesUnderline(open: OpenBlocks, { cursor: { end }, depth }: Line, { at }: Place): boolean {
  const { text, sink, paragraph, paragraphEnd } = open;
  if (paragraph === -1 || depth !== open.containers.length || paragraphEnd !== open.firstLineEnd) return false;
  const level = setextLevel(text, at, end);
  if (level <= 0) return false;
  const title = text.slice(paragraph, paragraphEnd).trim();
  if (!open.commented && depth === 0) sink.headings.push({ level, text: title, start: paragraph, end });
  closeParagraph(open);
  return true;
}

function takesBreak(open: OpenBlocks, line: Line, { at, code }: Place): boolean {
  if (at <= line.notBreak) return false;
  const stop = thematicBreakStop(open.text, at, line.cursor.end);
  if (stop === line.cursor.end) {
    closeTo(open, line.depth);
    closeParagraph(open);
    return true;
  }
  // The character that spoils a thematic break here spoils it for every later mark of the line, if that
  // is the same mark.
  if (code === CHAR.dash || code === CHAR.star) line.notBreak = stop;
  return false;
}

/** Whether the line goes on behind the mark of a container that begins in it. Absent: none begins. */
type Begun = "goes on" | "ends" | undefined;

function startListItem(open: OpenBlocks, line: Line, { at, indent, lazy }: Place): Begun {
  const { cursor } = line;
  const marker = listMarkerEnd(open.text, at, cursor.end);
  if (marker === -1 || (lazy && marker >= cursor.end)) return undefined;
  closeTo(open, line.depth);
  advanceTo(cursor, marker);
  const gap = measureIndent(cursor);
  const padding = gap.at >= cursor.end || gap.indent > 4 ? 1 : gap.indent;
  pushContainer(open, indent + (marker - at) + padding);
  line.depth = open.containers.length;
  if (gap.at >= cursor.end) return "ends";
  advanceColumns(cursor, padding);
  return "goes on";
}

function startFootnote(open: OpenBlocks, line: Line, { at }: Place): Begun {
  const { cursor } = line;
  const mark = footnoteMarkEnd(open.text, at, cursor.end);
  if (mark === -1) return undefined;
  closeTo(open, line.depth);
  pushContainer(open, FOOTNOTE_WIDTH);
  line.depth = open.containers.length;
  advanceTo(cursor, mark);
  const gap = measureIndent(cursor);
  if (gap.at >= cursor.end) return "ends";
  advanceTo(cursor, gap.at);
  return "goes on";
}

/** Takes the begin or the end of a comment, or a line of a paragraph. */
function takeText(open: OpenBlocks, { cursor: { end }, depth }: Line, { at, code, lazy }: Place): void {
  const { text } = open;
  if (code === CHAR.percent && text.charCodeAt(at + 1) === CHAR.percent && isOdd(text, at, end)) {
    closeTo(open, depth);
    closeParagraph(open);
    open.commented = !open.commented;
    return open.inline(at, end);
  }
  if (!lazy) closeTo(open, depth);
  if (open.paragraph === -1) {
    open.paragraph = at;
    open.firstLineEnd = end;
  }
  open.paragraphEnd = end;
}

export function contains(text: string, needle: string, from: number, end: number): boolean {
  if (end - from < needle.length) return false;
  return text.slice(from, end).includes(needle);
}

/** Whether the line holds an odd number of `%%`. */
function isOdd(text: string, from: number, end: number): boolean {
  return text.slice(from, end).split("%%").length % 2 === 0;
}
