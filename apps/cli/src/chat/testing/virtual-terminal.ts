import { graphemesOf, widthOfGrapheme } from "../screen/text-width.ts";

/** What a terminal would show: the sequences that we use, and nothing else. */
export interface VirtualTerminal {
  write(text: string): void;
  /** All lines, those that scrolled away included, without colours. */
  readonly lines: readonly string[];
  /** Sequences that no program of ours should send. */
  readonly foreign: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
}

// oxlint-disable-next-line no-control-regex
const TOKEN = /\u001b\[([?<>0-9;]*)([A-Za-z])|\u001b[^[]|[\0-\x1f\x7f-\x9f]|[^\0-\x1f\x7f-\x9f]+/g;

export function createVirtualTerminal(columns: number): VirtualTerminal {
  const grid: string[][] = [[]];
  const foreign: string[] = [];
  let row = 0;
  let column = 0;
  let rest = "";
  let wraps = true;
  const line = (): string[] => (grid[row] ??= []);

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
    if (letter === "A") row = Math.max(0, row - count);
    else if (letter === "C") column += count;
    else if (letter === "J" && parameters === "") {
      line().length = Math.min(line().length, column);
      grid.length = row + 1;
    } else if (letter === "J") grid.length = 0;
    else if (letter === "H") [row, column] = [0, 0];
    else if (letter === "h" && parameters === "?7") wraps = true;
    else if (letter === "l" && parameters === "?7") wraps = false;
    else if (letter !== "m" && !parameters.startsWith("?2004") && token !== "\u001b[?u") foreign.push(token);
  }

  return {
    write(text) {
      const whole = rest + text;
      // oxlint-disable-next-line no-control-regex
      const open = /\u001b(\[[?<>0-9;]*)?$/.exec(whole);
      rest = open?.[0] ?? "";
      for (const match of whole.slice(0, whole.length - rest.length).matchAll(TOKEN)) {
        const [token, parameters = "", letter] = match;
        if (letter !== undefined) control(parameters, letter, token);
        else if (token === "\r") column = 0;
        else if (token === "\n") {
          row++;
          line();
          // oxlint-disable-next-line no-control-regex
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
