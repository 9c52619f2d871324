import { wrapLine } from "./wrap-rows.ts";

const FENCE = /^\s{0,3}(?:`{3,}|~{3,})/;

/**
 * Text that may be coloured, broken between words for a terminal of so many columns.
 *
 * Contract: rows of one line begin as far in as the line does. Lines of fenced code stay as they are, and so does a word
 * that is wider than a row, so that both can be copied.
 */
export function wrapProse(text: string, columns: number): string {
  let isCode = false;
  return text
    .split("\n")
    .flatMap((line) => {
      const isFence = FENCE.test(line);
      if (isFence) isCode = !isCode;
      if (isFence || isCode) return [line];
      const [indent = ""] = /^ */.exec(line) ?? [];
      return wrapLine(line, columns, { indent: indent.length < columns / 2 ? indent : "" });
    })
    .join("\n");
}
