import { CHAR } from "./scan.ts";

/** A place in one line, counted in characters and in columns: a tab reaches to the next multiple of four. */
export interface LineCursor {
  readonly text: string;
  /** The end of the line, without its line ending. */
  end: number;
  pos: number;
  column: number;
}

/** The columns of white space before the next character; `at` is where that character stands. */
export function measureIndent(cursor: LineCursor): { readonly indent: number; readonly at: number } {
  const { text, end } = cursor;
  let at = cursor.pos;
  let { column } = cursor;
  const first = column;
  while (at < end) {
    const code = text.charCodeAt(at);
    if (code === CHAR.space) column += 1;
    else if (code === CHAR.tab) column += 4 - (column % 4);
    else break;
    at += 1;
  }
  return { indent: column - first, at };
}

/** Moves over `columns` of white space. The caller has measured that they are there. */
export function advanceColumns(cursor: LineCursor, columns: number): void {
  let left = columns;
  while (left > 0 && cursor.pos < cursor.end) {
    const isTab = cursor.text.charCodeAt(cursor.pos) === CHAR.tab;
    const width = isTab ? 4 - (cursor.column % 4) : 1;
    if (width > left) {
      cursor.column += left;
      return;
    }
    cursor.column += width;
    cursor.pos += 1;
    left -= width;
  }
}

/** Moves to `at`, behind marks that are one column wide each. */
export function advanceTo(cursor: LineCursor, at: number): void {
  while (cursor.pos < at) {
    cursor.column += cursor.text.charCodeAt(cursor.pos) === CHAR.tab ? 4 - (cursor.column % 4) : 1;
    cursor.pos += 1;
  }
}
