import { escapeText } from "./escape-text.ts";
import { drawTable, isTableRow, isTableRule } from "./draw-table.ts";
import type { Style } from "./style.ts";
import { wrapLine } from "./wrap-rows.ts";

/** Renders Markdown as it streams in, line by line. */
export interface MarkdownLines {
  /** Lines that are complete now, rendered. */
  push(delta: string): string[];
  /** The end of what is not finished, a table or a line, escaped. */
  readonly pending: string;
  /** The last line, if there is one, and forgets everything. */
  flush(): string[];
}

const FENCE = /^\s{0,3}(`{3,}|~{3,})\s*([\w+-]*)/;
const LONGEST_STYLED = 2_000;
const COLUMNS = 80;
/** Above and below code. */
const EDGE = "───";
/** Rows of a table that are held back until it is whole. */
const MOST_ROWS = 500;
const SEEN_LINES = 20;
const SEEN_CHARACTERS = 4_000;
/** Pieces of an unfinished line that are kept apart before they are joined. */
const PIECES = 100;

/**
 * Contract: every character is escaped before it is styled, so text can never steer the terminal. Linear in the text. Prose is
 * broken between words, code never, so that it can be copied; a table is drawn when it is whole.
 */
export function createMarkdownLines(style: Style, columns: () => number = () => COLUMNS): MarkdownLines {
  let pending: string[] = [];
  let fence: string | undefined;
  let table: string[] = [];
  const inlined = (text: string): string => inline(text, style);

  function endTable(): string[] {
    const lines = table;
    table = [];
    return lines.length < 2
      ? lines.flatMap((line) => renderLine(line, style, columns()))
      : drawTable(lines, columns(), style, inlined);
  }

  function render(raw: string): string[] {
    const line = escapeText(raw.replace(/\r$/, ""));
    const [, marks, language = ""] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      if (marks === undefined || language !== "" || !marks.startsWith(fence)) return [style.cyan(line)];
      fence = undefined;
      return [style.dim(EDGE)];
    }
    const [head] = table;
    const goesOn =
      table.length >= 2 ? line.includes("|") : head === undefined ? isTableRow(line) : isTableRule(head, line);
    if (goesOn && table.length < MOST_ROWS) {
      table.push(line);
      return [];
    }
    const before = endTable();
    if (before.length > 0) return [...before, ...render(raw)];
    if (marks === undefined) return renderLine(line, style, columns());
    fence = marks;
    return [style.dim(`${EDGE} ${language}`.trimEnd())];
  }

  return {
    push(delta) {
      const [first = "", ...rest] = delta.split("\n");
      pending.push(first);
      return rest.flatMap((line) => {
        const whole = pending.join("");
        pending = [line];
        return render(whole);
      });
    },
    get pending() {
      // What was said last is what is seen.
      const line = pending.length > PIECES ? (pending = [pending.join("")])[0] : pending.join("");
      return escapeText([...table.slice(-SEEN_LINES), line].join("\n").slice(-SEEN_CHARACTERS));
    },
    flush() {
      const line = pending.join("");
      const last = line === "" ? [] : render(line);
      pending = [];
      const ended = [...last, ...endTable()];
      fence = undefined;
      return ended;
    },
  };
}

function renderLine(line: string, style: Style, columns: number): string[] {
  const wrap = (text: string, indent = ""): string[] => wrapLine(text, columns - 1, { indent });
  const [, level, title] = /^(#{1,6})\s+(.*)$/.exec(line) ?? [];
  if (level !== undefined) return wrap(style.bold(inline(title ?? "", style)));
  const [, indent = "", bullet, rest] = /^(\s*)([-*+]|\d{1,3}[.)])\s+(.*)$/.exec(line) ?? [];
  if (bullet !== undefined) {
    const mark = /\d/.test(bullet) ? bullet : "•";
    const hanging = " ".repeat(Math.min(indent.length + mark.length + 1, Math.floor(columns / 2)));
    return wrap(`${indent}${style.cyan(mark)} ${inline(rest ?? "", style)}`, hanging);
  }
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) return [style.dim("─".repeat(20))];
  const [, quoted] = /^>\s?(.*)$/.exec(line) ?? [];
  if (quoted !== undefined)
    return wrapLine(inline(quoted, style), columns - 3).map((row) => `${style.dim("▎")} ${style.italic(row)}`);
  return wrap(inline(line, style), /^\s*/.exec(line)?.[0].slice(0, columns / 2));
}

/** Code, bold, italic and links. What does not close stays as it was typed. */
function inline(text: string, style: Style): string {
  if (text.length > LONGEST_STYLED) return text;
  return text
    .split(/(`[^`]+`)/)
    .map((part) =>
      part.length > 2 && part.startsWith("`") && part.endsWith("`")
        ? style.cyan(part.slice(1, -1))
        : part
            .replaceAll(/\*\*([^*]+)\*\*/g, (_, bold: string) => style.bold(bold))
            .replaceAll(/(?<![\w*])[*_]([^*_\s][^*_]*)[*_](?![\w*])/g, (_, italic: string) => style.italic(italic))
            .replaceAll(
              /\[([^\]]+)\]\(([^()\s]+)\)/g,
              (_, label: string, url: string) => `${label} ${style.dim(`(${url})`)}`,
            ),
    )
    .join("");
}
