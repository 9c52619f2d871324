/** A line of a file, as ripgrep prints it. */
export interface PlainLine {
  readonly line: number;
  readonly isMatch: boolean;
  /** Where in the text, in bytes, the match begins. 0 for a line around one. */
  readonly at: number;
  readonly text: string;
}

export interface PlainLineOptions {
  /** Told when lines of another file begin. */
  readonly onFile: (path: string) => void;
  /** Gets each line; `read`, to be called before it returns, takes the line apart, which costs more than counting it. */
  readonly onLine: (isMatch: boolean, read: () => PlainLine) => void;
}

/** What makes ripgrep print what {@link createPlainLines} reads. JSON would be four times as many bytes. */
export const PLAIN_FLAGS: readonly string[] = [
  "--no-heading",
  "--with-filename",
  "--null",
  "--line-number",
  "--column",
  "--color=never",
  // No text has a zero: where there is one, ripgrep takes the file for binary.
  "--field-match-separator=\\x00",
  "--context-separator=\\x00",
];

const NEWLINE = Buffer.from("\n");
/** What ripgrep says between its lines. */
const NOTICE = /^\.\/.*: WARNING: stopped searching binary file after match \(found .* byte around offset \d+\)$/;
/** What every path begins with. */
const HERE = Buffer.from("./");

/**
 * Reads `PATH NUL LINE NUL COLUMN NUL TEXT`, the same without a column where the match is the empty end of a file, and
 * `PATH NUL LINE-TEXT` of lines around a match, without their line break.
 *
 * Contract: the lines of a file come together. A path may contain line breaks.
 */
export function createPlainLines({ onFile, onLine }: PlainLineOptions): (piece: Buffer) => void {
  let current: Buffer | undefined;
  let begun: Buffer[] = [];
  return (piece) => {
    const end = piece.indexOf(0);
    // Between two groups of lines.
    if (end === 0 && begun.length === 0) return;
    if (end === -1) {
      begun.push(Buffer.from(piece), NEWLINE);
      return;
    }
    // A notice is followed by a path of its own; a path with a line break goes on.
    if (begun.length === 2 && NOTICE.test(String(begun[0])) && piece.subarray(0, 2).equals(HERE)) begun = [];
    const path = begun.length === 0 ? piece.subarray(0, end) : Buffer.concat([...begun, piece.subarray(0, end)]);
    begun = [];
    if (current?.equals(path) !== true) {
      current = Buffer.from(path);
      onFile(current.toString());
    }
    const number = endOfDigits(piece, end + 1);
    const isMatch = piece[number] === 0;
    onLine(isMatch, () => {
      const column = isMatch ? endOfDigits(piece, number + 1) : number;
      const hasColumn = isMatch && column > number + 1 && piece[column] === 0;
      const from = hasColumn ? column + 1 : number + 1;
      return {
        line: numberIn(piece, end + 1, number),
        isMatch,
        at: hasColumn ? numberIn(piece, number + 1, column) - 1 : isMatch ? piece.length - from : 0,
        text: piece.toString("utf8", from).replace(/\r$/, ""),
      };
    });
  };
}

function endOfDigits(piece: Buffer, from: number): number {
  let at = from;
  for (let byte = piece[at]; byte !== undefined && byte >= 0x30 && byte <= 0x39; byte = piece[at]) at++;
  return at;
}

function numberIn(piece: Buffer, from: number, to: number): number {
  return Number(piece.toString("latin1", from, to));
}
