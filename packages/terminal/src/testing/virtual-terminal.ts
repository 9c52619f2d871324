import { graphemesOf, widthOfGrapheme } from "../text/text-width.ts";

/** What a terminal would show: the sequences that we use, and nothing else. */
export interface VirtualTerminal {
  write(text: string): void;
  /** Breaks the lines that no longer fit, as terminals do. */
  resize(columns: number, rows: number): void;
  /** All lines, those that scrolled away included, without colours. */
  readonly lines: readonly string[];
  /** Sequences that no program of ours should send. */
  readonly foreign: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
}

// oxlint-disable-next-line no-control-regex -- finding them is the point
const TOKEN = /\u001b\[([?<>0-9;]*)([A-Za-z])|\u001b[^[]|[\0-\x1f\x7f-\x9f]|[^\0-\x1f\x7f-\x9f]+/g;

/** Contract: with `rows`, what has scrolled away above them can be reached no more. */
export function createVirtualTerminal(width: number, height: number = Infinity): VirtualTerminal {
  let columns = width;
  let rows = height;
  /** The first line that can be seen. */
  let top = 0;
  const grid: string[][] = [[]];
  const foreign: string[] = [];
  let row = 0;
  let column = 0;
  let rest = "";
  let wraps = true;
  const line = (): string[] => {
    top = Math.max(top, row - rows + 1);
    return (grid[row] ??= []);
  };

  function put(text: string): void {
    for (const grapheme of graphemesOf(text)) {
      const width = widthOfGrapheme(grapheme);
      if (column + width > columns && !wraps) column = columns - width;
      if (column + width > columns) {
        row++;
        column = 0;
      }
      const cells = line();
      while (cells.length < column) cells.push(" ");
      cells[column] = grapheme;
      if (width === 2) cells[column + 1] = "";
      column += width;
    }
  }

  function control(parameters: string, letter: string, token: string): void {
    const count = Number(parameters || 1);
    if (letter === "A") row = Math.max(top, row - count);
    else if (letter === "C") column += count;
    else if (letter === "J" && parameters === "") {
      line().length = Math.min(line().length, column);
      grid.length = row + 1;
    } else if (letter === "J") grid.length = top;
    else if (letter === "H") [row, column] = [top, 0];
    else if (letter === "h" && parameters === "?7") wraps = true;
    else if (letter === "l" && parameters === "?7") wraps = false;
    else if (letter !== "m" && !parameters.startsWith("?2004") && token !== "\u001b[?u") foreign.push(token);
  }

  return {
    resize(nextColumns, nextRows) {
      columns = nextColumns;
      rows = nextRows;
      const cursor = { row, column };
      const before = grid.splice(0);
      before.forEach((cells, at) => {
        const broken = Array.from({ length: Math.max(1, Math.ceil((cells ?? []).length / columns)) }, (_, part) =>
          (cells ?? []).slice(part * columns, (part + 1) * columns),
        );
        if (at === cursor.row) {
          const part = Math.min(broken.length - 1, Math.floor(cursor.column / columns));
          [row, column] = [grid.length + part, cursor.column - part * columns];
        }
        grid.push(...broken);
      });
      top = Math.max(0, grid.length - rows);
    },
    write(text) {
      const whole = rest + text;
      // oxlint-disable-next-line no-control-regex -- finding them is the point
      const open = /\u001b(\[[?<>0-9;]*)?$/.exec(whole);
      rest = open?.[0] ?? "";
      for (const match of whole.slice(0, whole.length - rest.length).matchAll(TOKEN)) {
        const [token, parameters = "", letter] = match;
        if (letter !== undefined) control(parameters, letter, token);
        else if (token === "\r") column = 0;
        else if (token === "\n") {
          row++;
          line();
          // oxlint-disable-next-line no-control-regex -- finding them is the point
        } else if (/^[\0-\x1f\x7f-\x9f]/.test(token)) foreign.push(token);
        else put(token);
      }
    },
    get lines() {
      return Array.from(grid, (cells) => (cells ?? []).join("").trimEnd());
    },
    foreign,
    get cursor() {
      return { row, column };
    },
  };
}
