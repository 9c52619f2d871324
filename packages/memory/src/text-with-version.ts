import type { AnswerFacts } from "@ikigai/core";
import { countLines } from "./lines.ts";

/** A text that was read, with what is known of the whole. Any of it may be cut. */
interface ReadText {
  readonly content?: string;
  readonly version?: string;
  readonly total_lines?: number;
}

/**
 * A text that was read, as it is, then one line with its version, its number of lines, and where to go on.
 *
 * Contract: the last line begins with `[version: ` and stands on a line of its own, also below a text without a final
 * newline.
 */
export function textWithVersion(
  data: unknown,
  { input, truncated }: AnswerFacts,
): string | { readonly tellsCut: string } {
  const { content = "", version = "", total_lines: total = 0 } = data as ReadText;
  const offset = typeof input["offset"] === "number" ? input["offset"] : 1;
  // A line that was cut is read again as a whole.
  const complete = truncated === undefined ? countLines(content) : content.split("\n").length - 1;
  const next = offset + complete;
  const part = offset > 1 || next <= total ? `; lines ${offset} to ${next - 1} are shown` : "";
  const more = next <= total ? `, go on with offset ${next}` : "";
  const separator = content === "" || content.endsWith("\n") ? "" : "\n";
  const text = `${content}${separator}[version: ${version}, total_lines: ${total}${part}${more}]`;
  return truncated === undefined ? text : { tellsCut: text };
}
