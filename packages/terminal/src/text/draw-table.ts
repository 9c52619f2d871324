import type { Style } from "./style.ts";
import { widthOf } from "./text-width.ts";
import { wrapLine } from "./wrap-rows.ts";

type Alignment = "left" | "right" | "centre";

const LEAST_CELL = 3;
const BETWEEN = 3;
const LONGEST_ROW = 2_000;
const RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

/** Whether a line can be the head or a row of a table. */
export function isTableRow(line: string): boolean {
  if (line.length > LONGEST_ROW) return false;
  return line.includes(" | ") || (/^ {0,3}\|/.test(line) && line.trimEnd().endsWith("|"));
}

/** Whether a line makes the line before it the head of a table. */
export function isTableRule(head: string, line: string): boolean {
  return (
    line.includes("-") && line.length <= LONGEST_ROW && RULE.test(line) && cellsOf(head).length === cellsOf(line).length
  );
}

/**
 * A Markdown table with its columns below each other, cells broken between words where it would be too wide.
 *
 * Contract: `lines` are escaped and begin with head and rule; `inline` styles a cell. A table with more columns than fit comes
 * back as it was.
 */
export function drawTable(
  lines: readonly string[],
  columns: number,
  style: Style,
  inline: (text: string) => string,
): string[] {
  const [head = "", rule = "", ...body] = lines;
  const alignments = cellsOf(rule).map(alignmentOf);
  const rows = [head, ...body].map((line) => {
    const cells = cellsOf(line);
    return alignments.map((_, at) => cells[at] ?? "");
  });
  const widths = fitWidths(
    alignments.map((_, at) => Math.max(LEAST_CELL, ...rows.map((row) => widthOf(inline(row[at] ?? ""))))),
    columns - 1 - BETWEEN * (alignments.length - 1),
  );
  if (widths === undefined) return [...lines];
  const bar = ` ${style.dim("│")} `;
  const drawn = rows.map((row, index) => {
    const cells = row.map((cell, at) => cellRows(cell, widths[at] ?? LEAST_CELL, inline));
    const height = Math.max(...cells.map((cell) => cell.length));
    return Array.from({ length: height }, (_, line) =>
      cells
        .map((cell, at) => {
          const text = cell[line] ?? "";
          return pad(index === 0 ? style.bold(text) : text, widths[at] ?? 0, alignments[at] ?? "left");
        })
        .join(bar)
        .trimEnd(),
    );
  });
  const line = style.dim(widths.map((width) => "─".repeat(width)).join("─┼─"));
  return [...(drawn[0] ?? []), line, ...drawn.slice(1).flat()];
}

function cellsOf(line: string): string[] {
  const bare = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return bare.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function alignmentOf(cell: string): Alignment {
  if (!cell.endsWith(":")) return "left";
  return cell.startsWith(":") ? "centre" : "right";
}

/** Takes from the widest until all fit. Contract: `undefined` when they never would. */
function fitWidths(natural: readonly number[], available: number): number[] | undefined {
  if (natural.length * LEAST_CELL > available) return undefined;
  const widths = natural.map((width) => Math.min(width, available));
  let surplus = widths.reduce((sum, width) => sum + width, 0) - available;
  for (; surplus > 0; surplus--) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** A cell that is broken is shown without styles, which would reach into its neighbours. */
function cellRows(cell: string, width: number, inline: (text: string) => string): string[] {
  const styled = inline(cell);
  return widthOf(styled) <= width ? [styled] : wrapLine(cell, width, { splitsWords: true });
}

function pad(text: string, width: number, alignment: Alignment): string {
  const missing = Math.max(0, width - widthOf(text));
  const before = alignment === "left" ? 0 : alignment === "right" ? missing : Math.floor(missing / 2);
  return " ".repeat(before) + text + " ".repeat(missing - before);
}
