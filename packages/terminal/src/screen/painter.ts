import type { Layout } from "../line/layout-input.ts";
import { widthOf } from "../text/text-width.ts";

/** Text that scrolls away above an area that is painted again and again. */
export interface Painter {
  /** Whole lines above the area. Contract: the text is safe. */
  print(text: string): void;
  paint(area: Layout): void;
  /** Takes the area away and leaves the cursor where it began. */
  clear(): void;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

const EMPTY: Layout = { rows: [], row: 0, column: 0 };
const LEAST_ROWS = 3;
/** While the area is drawn the terminal breaks no row, also one that is wider there than we think. */
const WRAP_OFF = "\u001b[?7l";
const WRAP_ON = "\u001b[?7h";

/**
 * Contract: one write for each change, so that nothing flickers. The area is never higher than the terminal, so that none of
 * its rows scrolls away where it could not be wiped; survives a terminal that was made narrower.
 */
export function createPainter(write: (text: string) => void, size: () => TerminalSize): Painter {
  let shown = EMPTY;

  const wipe = (): string => {
    const up = rowsAbove(shown, size().columns);
    return `\r${up > 0 ? `\u001b[${up}A` : ""}\u001b[J`;
  };
  const draw = (area: Layout): string => {
    shown = fit(area, Math.max(LEAST_ROWS, size().rows - 1));
    const { rows, row, column } = shown;
    const below = rows.length - 1 - row;
    const back = `${below > 0 ? `\u001b[${below}A` : ""}\r${column > 0 ? `\u001b[${column}C` : ""}`;
    return rows.length === 0 ? "" : `${WRAP_OFF}${rows.join("\r\n")}${back}${WRAP_ON}`;
  };
  return {
    print(text) {
      write(`${wipe()}${text.replaceAll("\n", "\r\n")}\r\n${draw(shown)}`);
    },
    paint(area) {
      write(`${wipe()}${draw(area)}`);
    },
    clear() {
      write(wipe());
      shown = EMPTY;
    },
  };
}

/** The last rows, or those from the cursor on when it would not be among them. */
function fit({ rows, row, column }: Layout, most: number): Layout {
  if (rows.length <= most) return { rows, row, column };
  const first = Math.min(rows.length - most, row);
  return { rows: rows.slice(first, first + most), row: row - first, column };
}

/** Rows between the top of the area and the cursor, after the terminal broke rows that no longer fit. */
function rowsAbove({ rows, row, column }: Layout, columns: number): number {
  const above = rows.slice(0, row).reduce((sum, text) => sum + Math.max(1, Math.ceil(widthOf(text) / columns)), 0);
  return above + Math.floor(column / columns);
}
