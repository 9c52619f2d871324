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
];

const NEWLINE = Buffer.from("\n");
const COLON = 0x3a;
/** What ripgrep says between its lines. */
const NOTICE = /^--$|: WARNING: stopped searching binary file after match \(found .* byte around offset \d+\)$/;

/**
 * Reads `PATH NUL LINE:COLUMN:TEXT`, and `PATH NUL LINE-TEXT` of lines around a match, without their line break.
 *
 * Contract: the lines of a file come together. A path may contain line breaks.
 */
export function createPlainLines({ onFile, onLine }: PlainLineOptions): (piece: Buffer) => void {
  let current: Buffer | undefined;
  let begun: Buffer[] = [];
  return (piece) => {
    const end = piece.indexOf(0);
    if (end === -1) {
      if (NOTICE.test(piece.toString("latin1"))) begun = [];
      else begun.push(Buffer.from(piece), NEWLINE);
      return;
    }
    const path = begun.length === 0 ? piece.subarray(0, end) : Buffer.concat([...begun, piece.subarray(0, end)]);
    begun = [];
    if (current?.equals(path) !== true) {
      current = Buffer.from(path);
      onFile(current.toString());
    }
    const number = endOfDigits(piece, end + 1);
    const isMatch = piece[number] === COLON;
    onLine(isMatch, () => {
      const column = isMatch ? endOfDigits(piece, number + 1) : number;
      return {
        line: numberIn(piece, end + 1, number),
        isMatch,
        at: isMatch ? numberIn(piece, number + 1, column) - 1 : 0,
        text: piece.toString("utf8", column + 1).replace(/\r$/, ""),
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
