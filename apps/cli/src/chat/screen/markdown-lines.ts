import { escapeText } from "../../terminal.ts";
import type { Style } from "./style.ts";

/** Renders Markdown as it streams in, line by line. */
export interface MarkdownLines {
  /** Lines that are complete now, rendered. */
  push(delta: string): string[];
  /** What the unfinished line looks like so far, escaped. */
  readonly pending: string;
  /** The last line, if there is one, and forgets everything. */
  flush(): string[];
}

const FENCE = /^\s{0,3}(`{3,}|~{3,})\s*([\w+-]*)/;
const LONGEST_STYLED = 2_000;

/** Contract: every character is escaped before it is styled, so text can never steer the terminal. Linear in the text. */
export function createMarkdownLines(style: Style): MarkdownLines {
  let pending = "";
  let fence: string | undefined;

  const render = (raw: string): string => {
    const line = escapeText(raw.replace(/\r$/, ""));
    const [, marks, language = ""] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      if (marks !== undefined && language === "" && marks.startsWith(fence)) {
        fence = undefined;
        return style.dim("└─");
      }
      return `${style.dim("│")} ${style.cyan(line)}`;
    }
    if (marks !== undefined) {
      fence = marks;
      return style.dim(`┌─ ${language}`.trimEnd());
    }
    return renderLine(line, style);
  };

  return {
    push(delta) {
      const lines = (pending + delta).split("\n");
      pending = lines.pop() ?? "";
      return lines.map(render);
    },
    get pending() {
      return escapeText(pending);
    },
    flush() {
      const last = pending === "" ? [] : [render(pending)];
      pending = "";
      fence = undefined;
      return last;
    },
  };
}

function renderLine(line: string, style: Style): string {
  const [, level, title] = /^(#{1,6})\s+(.*)$/.exec(line) ?? [];
  if (level !== undefined) return style.bold(inline(title ?? "", style));
  const [, indent, bullet, rest] = /^(\s*)([-*+]|\d{1,3}[.)])\s+(.*)$/.exec(line) ?? [];
  if (bullet !== undefined) {
    const mark = /\d/.test(bullet) ? bullet : "•";
    return `${indent}${style.cyan(mark)} ${inline(rest ?? "", style)}`;
  }
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) return style.dim("─".repeat(20));
  const [, quoted] = /^>\s?(.*)$/.exec(line) ?? [];
  if (quoted !== undefined) return `${style.dim("▎")} ${style.italic(inline(quoted, style))}`;
  return inline(line, style);
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
