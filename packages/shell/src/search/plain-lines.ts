import { type ClippedLine, clipLine, STRETCH_BYTES } from "./clip-line.ts";
import type { CutPiece, PieceStretch } from "./ripgrep.ts";

/** A line of a file, as ripgrep prints it; of a long one the part around its match. */
export interface PlainLine extends ClippedLine {
  readonly line: number;
  readonly isMatch: boolean;
}

export interface PlainLineOptions {
  /** Called when lines of another file begin. */
  readonly onFile: (path: string) => void;
  /** Gets each line; `read`, to be called before it returns, takes the line apart, which costs more than counting it. */
  readonly onLine: (isMatch: boolean, read: () => PlainLine) => void;
}

/** Flags that make ripgrep print what {@link createPlainLines} reads. JSON would be four times as many bytes. */
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
const RETURN = 13;
/** Notice about a binary file that ripgrep prints between its lines. */
const NOTICE = /^\.\/.*: WARNING: stopped searching binary file after match \(found .* byte around offset \d+\)$/;
/** Beginning of every path that ripgrep prints. */
const HERE = Buffer.from("./");

/**
 * Reads `PATH NUL LINE NUL COLUMN NUL TEXT`, the same without a column where the match is the empty end of a file, and
 * `PATH NUL LINE-TEXT` of lines around a match, without their line break.
 *
 * Contract: the lines of a file come together. A path may contain line breaks.
 */
export function createPlainLines({ onFile, onLine }: PlainLineOptions): (piece: Buffer, cut?: CutPiece) => void {
  let current: Buffer | undefined;
  let begun: Buffer[] = [];
  return (piece, cut) => {
    const end = piece.indexOf(0);
    // Between two groups of lines.
    if (end === 0 && begun.length === 0) return;
    // A notice is followed by a path of its own; a path with a line break goes on.
    if (begun.length === 2 && NOTICE.test(String(begun[0])) && piece.subarray(0, 2).equals(HERE)) begun = [];
    if (end === -1) {
      begun.push(Buffer.from(piece), NEWLINE);
      return;
    }
    const path = begun.length === 0 ? piece.subarray(0, end) : Buffer.concat([...begun, piece.subarray(0, end)]);
    begun = [];
    if (current?.equals(path) !== true) {
      current = Buffer.from(path);
      onFile(current.toString());
    }
    const { number, isMatch } = headOf(piece, end);
    onLine(isMatch, () => {
      const { text, at } = headOf(piece, end);
      const isReturned = piece.at(-1) === RETURN && (cut === undefined || cut.to >= cut.length);
      const bytes = piece.subarray(text, isReturned ? -1 : undefined);
      const skipped = cut === undefined ? 0 : cut.from - text;
      const stretch = { ...cut, bytes, at: Math.min((at ?? Number.POSITIVE_INFINITY) - skipped, bytes.length) };
      return { line: numberIn(piece, end + 1, number), isMatch, ...clipLine(stretch) };
    });
  };
}

/** What to keep of a line that is too long to be kept whole: the part around its match. */
export function stretchOfLine(beginning: Buffer): PieceStretch | undefined {
  const end = beginning.indexOf(0);
  if (end < 1) return undefined;
  const { text, at = 0 } = headOf(beginning, end);
  return { head: text, from: text + Math.max(0, at - STRETCH_BYTES), to: text + at + STRETCH_BYTES };
}

interface Head {
  /** Offset at which the number of the line ends. */
  readonly number: number;
  readonly isMatch: boolean;
  /** Offset at which the text of the line begins. */
  readonly text: number;
  /** Offset of the match in the text. Absent: at its empty end. */
  readonly at: number | undefined;
}

/** Reads the numbers between a path that ends at `end` and the text of the line. */
function headOf(piece: Buffer, end: number): Head {
  const number = endOfDigits(piece, end + 1);
  if (piece[number] !== 0) return { number, isMatch: false, text: number + 1, at: 0 };
  const column = endOfDigits(piece, number + 1);
  if (column === number + 1 || piece[column] !== 0) return { number, isMatch: true, text: number + 1, at: undefined };
  return { number, isMatch: true, text: column + 1, at: numberIn(piece, number + 1, column) - 1 };
}

function endOfDigits(piece: Buffer, from: number): number {
  let at = from;
  for (let byte = piece[at]; byte !== undefined && byte >= 0x30 && byte <= 0x39; byte = piece[at]) at++;
  return at;
}

function numberIn(piece: Buffer, from: number, to: number): number {
  return Number(piece.toString("latin1", from, to));
}
