import { escapeHidden } from "@ikigai/core/host";
import { type Choice, escapeText, graphemesOf, widthOf, widthOfGrapheme } from "@ikigai/terminal";
import { colourDiffLine } from "./render-diff.ts";
import type { Terminal } from "./terminal.ts";

/** What a person is asked about, in the order in which it is shown. */
export interface Question {
  /** Our own words: one line. */
  readonly heading: string;
  /** Text that may be a stranger's. */
  readonly lines?: readonly string[];
  /** Lines of a difference. */
  readonly change?: readonly string[];
  /** Shown on the key for details, behind what was too long. */
  readonly details?: readonly string[];
}

/** Marks a row as somebody else's text. */
const FRAME = "  │ ";
/** The same for the rest of a line that did not fit. */
const FRAME_ON = "  ┊ ";
const LEAST_WIDTH = 20;
const DEFAULT_COLUMNS = 80;
/** Rows that are shown at once, and rows that the key for details shows each time. */
const SHORT_ROWS = 40;
const PAGE_ROWS = 1_000;

/**
 * Shows what a question is about and waits for a key. `[d]` shows what was left out.
 *
 * Contract: everything can be seen before a key answers. No row of the text begins where our own words begin, however it
 * breaks, so that it cannot pass for them. `undefined` as for {@link Terminal.choose}.
 */
export async function askAbout(
  terminal: Terminal,
  question: Question,
  choice: Choice,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const rows = showBegin(terminal, question, (text) => tell(terminal, text));
  const details = framedRows(toLines(question.details ?? []), terminal);
  for (;;) {
    const isMore = rows.left > 0 || details.left > 0;
    const label = rows.left > 0 ? `${rows.left} more lines` : "details";
    const keys = isMore ? { ...choice.keys, d: label } : choice.keys;
    const key = await terminal.choose({ ...choice, keys }, signal);
    if (key !== "d" || !isMore) return key;
    const page = rows.take(PAGE_ROWS);
    const more = rows.left > 0 ? [] : details.take(PAGE_ROWS - page.length);
    tell(terminal, [...page, ...more].join("\n"));
  }
}

/** Shows all of it and asks nothing. Silent where notes are. */
export function showWhole(terminal: Terminal, question: Question): void {
  const show = (text: string): void => terminal.show(text);
  const rows = showBegin(terminal, question, show);
  while (rows.left > 0) show(rows.take(PAGE_ROWS).join("\n"));
}

/** Rows that show somebody else's text, marked as such and broken to the width of the terminal. */
export function frameLines(terminal: Terminal, lines: readonly string[]): readonly string[] {
  return framedRows(toLines(lines), terminal).take(Number.MAX_SAFE_INTEGER);
}

/** A question that is answered with yes or no. Contract: anything but a clear yes is no. */
export async function confirmAbout(
  terminal: Terminal,
  question: Question,
  asked: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const key = await askAbout(terminal, question, { question: asked, keys: { y: "yes", n: "no" } }, signal);
  return key === "y";
}

interface Line {
  readonly text: string;
  readonly isChange: boolean;
}

function showBegin(
  terminal: Terminal,
  { heading, lines = [], change = [] }: Question,
  show: (text: string) => void,
): FramedRows {
  show(`\n${escapeText(heading.replaceAll("\n", " "))}`);
  const rows = framedRows([...toLines(lines), ...toLines(change, true)], terminal);
  const begin = rows.take(SHORT_ROWS);
  if (begin.length > 0) show(begin.join("\n"));
  return rows;
}

function toLines(texts: readonly string[], isChange = false): Line[] {
  return texts.flatMap((text) =>
    escapeHidden(text)
      .split("\n")
      .map((line) => ({ text: line, isChange })),
  );
}

interface FramedRows {
  /** The next rows, at most so many. */
  take(most: number): string[];
  /** Lines of which something has not been taken. */
  readonly left: number;
}

function framedRows(lines: readonly Line[], terminal: Terminal): FramedRows {
  const width = Math.max(LEAST_WIDTH, (terminal.columns ?? DEFAULT_COLUMNS) - FRAME.length - 1);
  let at = 0;
  let waiting: string[] = [];
  return {
    take(most) {
      const taken: string[] = [];
      while (taken.length < most) {
        if (waiting.length === 0) {
          const line = lines[at];
          if (line === undefined) break;
          waiting = brokenRows(line.text, width).map((row, index) => {
            const text = line.isChange ? colourDiffLine(row, line.text, terminal.colours) : row;
            return `${index === 0 ? FRAME : FRAME_ON}${text}`;
          });
        }
        taken.push(...waiting.splice(0, most - taken.length));
        if (waiting.length === 0) at++;
      }
      return taken;
    },
    get left() {
      return lines.length - at;
    },
  };
}

/** A line in pieces that fit. */
function brokenRows(line: string, width: number): string[] {
  if (line.length <= width / 2 || widthOf(line) <= width) return [line];
  const rows: string[] = [];
  let row = "";
  let used = 0;
  for (const grapheme of graphemesOf(line)) {
    const cells = widthOfGrapheme(grapheme);
    if (used + cells > width) {
      rows.push(row);
      row = "";
      used = 0;
    }
    row += grapheme;
    used += cells;
  }
  return [...rows, row];
}

function tell(terminal: Terminal, text: string): void {
  if (terminal.tell === undefined) terminal.show(text);
  else terminal.tell(text);
}
