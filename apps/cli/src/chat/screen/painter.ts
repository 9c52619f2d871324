import type { Layout } from "./layout-input.ts";
import { widthOf } from "./text-width.ts";

/** Text that scrolls away above an area that is painted again and again. */
export interface Painter {
  /** Whole lines above the area. Contract: the text is safe. */
  print(text: string): void;
  paint(area: Layout): void;
  /** Takes the area away and leaves the cursor where it began. */
  clear(): void;
}

const EMPTY: Layout = { rows: [], row: 0, column: 0 };

/** Contract: one write for each change, so that nothing flickers; survives a terminal that was made narrower. */
export function createPainter(write: (text: string) => void, columns: () => number): Painter {
  let shown = EMPTY;

  const wipe = (): string => {
    const up = rowsAbove(shown, columns());
    return `\r${up > 0 ? `\u001b[${up}A` : ""}\u001b[J`;
  };
  const draw = ({ rows, row, column }: Layout): string => {
    const below = rows.length - 1 - row;
    return `${rows.join("\r\n")}${below > 0 ? `\u001b[${below}A` : ""}\r${column > 0 ? `\u001b[${column}C` : ""}`;
  };
  return {
    print(text) {
      write(`${wipe()}${text.replaceAll("\n", "\r\n")}\r\n${draw(shown)}`);
    },
    paint(area) {
      write(`${wipe()}${draw(area)}`);
      shown = area;
    },
    clear() {
      write(wipe());
      shown = EMPTY;
    },
  };
}

/** Rows between the top of the area and the cursor, after the terminal broke rows that no longer fit. */
function rowsAbove({ rows, row, column }: Layout, columns: number): number {
  const above = rows.slice(0, row).reduce((sum, text) => sum + Math.max(1, Math.ceil(widthOf(text) / columns)), 0);
  return above + Math.floor(column / columns);
}
