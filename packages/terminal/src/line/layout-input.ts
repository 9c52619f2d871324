import { escapeText } from "../text/escape-text.ts";
import type { LineBuffer } from "./line-buffer.ts";
import { cutToWidth, graphemesOf, sureEdge, widthOf, widthOfGrapheme } from "../text/text-width.ts";
import { kindOf, type Piece, rowStarts } from "../text/wrap-rows.ts";

/** Rows of a terminal and where its cursor stands in them. */
export interface Layout {
  readonly rows: readonly string[];
  readonly row: number;
  readonly column: number;
}

interface ShownPiece extends Piece {
  readonly text: string;
  /** Where it ends in the buffer. */
  readonly end: number;
}

const TAB = "  ";
const PLAIN = /^[!-~]$/;
/** Code units that a cell may take, at most, for all rows to be filled. */
const UNITS_A_CELL = 2;

/**
 * What is being typed, broken into rows that fit.
 *
 * Contract: no row is as wide as the terminal, so that it never wraps by itself; at most `most` rows, those around the
 * cursor; what could steer the terminal is shown escaped, and what stands for something else as `shown` says. Costs what
 * is visible, however long the text is.
 */
export function layoutInput(
  prompt: string,
  buffer: LineBuffer,
  columns: number,
  most: number,
  shown: (character: string) => string | undefined = () => undefined,
): Layout {
  const margin = widthOf(prompt);
  const indent = " ".repeat(margin);
  const width = Math.max(2, columns - 1 - margin);
  const { start, end } = visiblePart(buffer, most, most * columns * UNITS_A_CELL);
  const pieces = piecesOf(buffer.text.slice(start, end), start, width, shown);
  const starts = rowStarts(pieces, width);
  const before = pieces.findIndex((piece) => piece.end > buffer.cursor);
  const at = before === -1 ? pieces.length : before;
  const cursorRow = starts.findLastIndex((first) => first <= at);
  const textOf = (from: number, to: number | undefined): string =>
    pieces
      .slice(from, to)
      .map(({ text }) => text)
      .join("");
  const first = Math.max(0, Math.min(cursorRow - Math.floor(most / 2), starts.length - most));
  const rows = starts.slice(first, first + most).map((from, row) => {
    const isFirst = first + row === 0 && start === 0;
    const whole = textOf(from, starts[first + row + 1]);
    // Spaces that hang over the end are not there to be seen.
    return `${isFirst ? prompt : indent}${widthOf(whole) > width ? whole.trimEnd() : whole}`;
  });
  const typed = widthOf(textOf(starts[cursorRow] ?? 0, at));
  return { rows, row: cursorRow - first, column: margin + Math.min(typed, width) };
}

/** The part around the cursor that can be seen: `most` lines on both sides, and `reach` units, at most. */
function visiblePart(
  { text, cursor }: LineBuffer,
  most: number,
  reach: number,
): { readonly start: number; readonly end: number } {
  let end = cursor;
  for (let line = 0; line <= most && end < text.length; line++) {
    const newline = text.indexOf("\n", end);
    end = newline === -1 ? text.length : newline + 1;
  }
  if (end > cursor + reach) end = sureEdge(text, cursor + reach);
  let start = cursor;
  for (let line = 0; line <= most && start > 0; line++) start = text.lastIndexOf("\n", start - 2) + 1;
  if (cursor - start <= reach) return { start, end };
  const lineBegins = text.indexOf("\n", cursor - reach) + 1;
  if (lineBegins > 0 && lineBegins <= cursor) return { start: lineBegins, end };
  // In steps, so that the rows do not move with each character that is typed.
  const step = Math.ceil(reach / 2);
  return { start: sureEdge(text, Math.floor((cursor - step) / step) * step), end };
}

function piecesOf(
  text: string,
  offset: number,
  width: number,
  shown: (character: string) => string | undefined,
): ShownPiece[] {
  let end = offset;
  return graphemesOf(text).map((grapheme) => {
    end += grapheme.length;
    if (PLAIN.test(grapheme)) return { text: grapheme, cells: 1, kind: "letter", end };
    const written = shown(grapheme) ?? (grapheme === "\t" ? TAB : escapeText(grapheme));
    if (written === grapheme && grapheme !== "\n") {
      const cells = widthOfGrapheme(grapheme);
      return { text: grapheme, cells, kind: kindOf(grapheme, cells), end };
    }
    // A space that is shown by its code is seen, so it cannot hang over the end of a row.
    const isBreak = grapheme === "\t" || grapheme === "\n" || grapheme === "\r\n";
    const kind = isBreak ? kindOf(grapheme, widthOf(written)) : "letter";
    const fitting = kind === "newline" ? "" : cutToWidth(written, width);
    return { text: fitting, cells: widthOf(fitting), kind, end };
  });
}
