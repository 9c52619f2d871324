import { graphemesOf, widthOf, widthOfGrapheme } from "./text-width.ts";

/** What is never divided when text is broken into rows. */
export interface Piece {
  readonly cells: number;
  /**
   * A row may end behind a `space`, which may hang over the end, and beside a `wide` character, but not before a `closing`
   * mark; it ends at a `newline`.
   */
  readonly kind: "letter" | "space" | "wide" | "closing" | "newline";
}

export interface WrapOptions {
  /** Whether a word that is wider than a row is divided. Default true; else it is left to stick out. */
  readonly splitsWords?: boolean;
}

/** Marks that do not begin a row. */
const CLOSING = /^[、。，．：；！？）」』】〉》”’]/u;

/**
 * Where the rows of a text begin, as places among its pieces.
 *
 * Contract: no row is wider than `width`, spaces at its end and words that are not divided aside. A row ends behind a space
 * or beside a wide character; a word is divided only where it does not fit in a row of its own.
 */
export function rowStarts(pieces: readonly Piece[], width: number, { splitsWords = true }: WrapOptions = {}): number[] {
  const starts = [0];
  let used = 0;
  let open = 0;
  let breakAt = 0;
  const breakRow = (at: number, upTo: number): void => {
    starts.push(at);
    open = at;
    used = 0;
    for (let place = at; place < upTo; place++) used += pieces[place]?.cells ?? 0;
  };
  pieces.forEach(({ cells, kind }, at) => {
    if (kind === "newline") return breakRow(at + 1, at + 1);
    if (kind === "wide") breakAt = at;
    if (used + cells > width && kind !== "space") {
      if (breakAt > open) breakRow(breakAt, at);
      if (used + cells > width && used > 0 && splitsWords && at > open) breakRow(at, at);
    }
    used = kind === "space" ? Math.min(width, used + cells) : used + cells;
    if (kind === "space" || (kind !== "letter" && pieces[at + 1]?.kind !== "closing")) breakAt = at + 1;
  });
  return starts;
}

interface StyledPiece extends Piece {
  readonly text: string;
}

// oxlint-disable-next-line no-control-regex -- finding them is the point
const STYLE = /\u001b\[[0-9;]*m/g;

/**
 * A line with our own colours, broken between words.
 *
 * Contract: the rows joined are the line, spaces at breaks aside; a word wider than a row stays whole, so that the terminal
 * breaks it and it can be copied, unless it shall be divided; rows after the first begin with `indent`.
 */
export function wrapLine(
  line: string,
  columns: number,
  { indent = "", splitsWords = false }: WrapOptions & { readonly indent?: string } = {},
): string[] {
  const pieces = styledPieces(line);
  const width = Math.max(1, columns - widthOf(indent));
  const starts = rowStarts(pieces, width, { splitsWords });
  return starts.map((start, row) => {
    const text = pieces
      .slice(start, starts[row + 1])
      .map((piece) => piece.text)
      .join("");
    const isLast = row === starts.length - 1;
    return `${row === 0 ? "" : indent}${isLast ? text : text.trimEnd()}`;
  });
}

/** Colours belong to the letter after them, those at the end to nothing. */
function styledPieces(line: string): StyledPiece[] {
  const pieces: StyledPiece[] = [];
  let from = 0;
  let style = "";
  const add = (text: string): void => {
    for (const grapheme of graphemesOf(text)) {
      const cells = widthOfGrapheme(grapheme);
      pieces.push({ text: style + grapheme, cells, kind: kindOf(grapheme, cells) });
      style = "";
    }
  };
  for (const { 0: code, index } of line.matchAll(STYLE)) {
    add(line.slice(from, index));
    style += code;
    from = index + code.length;
  }
  add(line.slice(from));
  if (style !== "") pieces.push({ text: style, cells: 0, kind: "letter" });
  return pieces;
}

export function kindOf(grapheme: string, cells: number): Piece["kind"] {
  if (grapheme === "\n" || grapheme === "\r\n") return "newline";
  if (/^\s$/.test(grapheme) && grapheme !== "\u00a0") return "space";
  if (cells !== 2) return "letter";
  return CLOSING.test(grapheme) ? "closing" : "wide";
}
