import type { AnswerFacts } from "@ikigai/core";
import { countLines } from "@ikigai/core/text";

/** A text that was read, with what is known of the whole. Any of it may be cut. */
interface ReadText {
  readonly content?: string;
  readonly version?: string;
  readonly total_lines?: number;
  readonly line_chars?: number;
}

/**
 * A text that was read, as it is, then one line with its version, its number of lines, and where to go on.
 *
 * Contract: the last line begins with `[version: ` and stands on a line of its own, also below a text without a final
 * newline. A text that was cut ends behind its last whole line; only when not even its first line is whole, that line is
 * cut, and the last line says how to read the rest of it. So who goes on where it says comes to the end.
 */
export function textWithVersion(
  data: unknown,
  { input, truncated }: AnswerFacts,
): string | { readonly tellsCut: string } {
  const { content = "", version = "", total_lines: total = 0, line_chars: length } = data as ReadText;
  const offset = numberOf(input["offset"]);
  if (truncated === undefined) return withFooter(content, version, total, shownLines(content, offset, total));
  const column = numberOf(input["column"]);
  const next = column + content.length;
  // Cut just before a line's end, the line is whole.
  const whole = next - 1 === length ? content : content.slice(0, content.lastIndexOf("\n") + 1);
  if (whole !== "") return { tellsCut: withFooter(whole, version, total, shownLines(whole, offset, total)) };
  const of = length === undefined ? "" : ` of ${length}`;
  const place = `offset ${offset} and column ${next}`;
  const more = offset < total ? `, go on with offset ${offset + 1}` : "";
  const cut = `; line ${offset} is cut: its characters ${column} to ${next - 1}${of} are shown, its rest is read with ${place}${more}`;
  return { tellsCut: withFooter(content, version, total, cut) };
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 1;
}

/** Which lines of a longer text are shown, and where it goes on. */
function shownLines(content: string, offset: number, total: number): string {
  const next = offset + countLines(content);
  const part = offset > 1 || next <= total ? `; lines ${offset} to ${next - 1} are shown` : "";
  return next <= total ? `${part}, go on with offset ${next}` : part;
}

function withFooter(content: string, version: string, total: number, where: string): string {
  const separator = content === "" || content.endsWith("\n") ? "" : "\n";
  return `${content}${separator}[version: ${version}, total_lines: ${total}${where}]`;
}
