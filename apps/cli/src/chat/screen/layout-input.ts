import { escapeText } from "../../terminal.ts";
import type { LineBuffer } from "./line-buffer.ts";
import { graphemesOf, widthOf } from "./text-width.ts";

/** Rows of a terminal and where its cursor stands in them. */
export interface Layout {
  readonly rows: readonly string[];
  readonly row: number;
  readonly column: number;
}

const TAB = "  ";

/**
 * What is being typed, broken into rows that fit.
 *
 * Contract: no row is as wide as the terminal, so that it never wraps by itself; at most `most` rows, those around the
 * cursor; what could steer the terminal is shown escaped.
 */
export function layoutInput(prompt: string, { text, cursor }: LineBuffer, columns: number, most: number): Layout {
  const indent = " ".repeat(widthOf(prompt));
  const width = Math.max(widthOf(prompt) + 2, columns - 1);
  const rows = [prompt];
  let used = widthOf(prompt);
  let at = 0;
  let place = { row: 0, column: used };
  const breakRow = (): void => {
    rows.push(indent);
    used = indent.length;
  };
  for (const grapheme of graphemesOf(text)) {
    if (at === cursor) place = { row: rows.length - 1, column: used };
    at += grapheme.length;
    if (grapheme === "\n" || grapheme === "\r\n") {
      breakRow();
      continue;
    }
    const shown = grapheme === "\t" ? TAB : escapeText(grapheme);
    const cells = widthOf(shown);
    if (used + cells > width) {
      breakRow();
      if (at - grapheme.length === cursor) place = { row: rows.length - 1, column: used };
    }
    rows[rows.length - 1] += shown;
    used += cells;
  }
  if (at === cursor) place = { row: rows.length - 1, column: used };
  const first = Math.max(0, Math.min(place.row - Math.floor(most / 2), rows.length - most));
  return { rows: rows.slice(first, first + most), row: place.row - first, column: place.column };
}
