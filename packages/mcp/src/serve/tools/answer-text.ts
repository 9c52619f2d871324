import type { Envelope } from "@ikigai/core";
import type { ToolCard, Truncation } from "@ikigai/core/host";
import { toLines } from "./to-lines.ts";

export interface AnswerTextOptions {
  /** The tool that answered, when it is one that is offered. */
  readonly card?: Pick<ToolCard, "toText"> | undefined;
  readonly input: Readonly<Record<string, unknown>>;
  /** Where a call that changed something changed it, such as `workspace: /home/ada/shop`. Absent: it only looked. */
  readonly wroteTo?: string | undefined;
}

/**
 * An envelope as the text that a client's model reads.
 *
 * Contract: everything that the model can act on stands in it: of a success its data, and where it was cut; of a failure
 * the message with its hint, the code and the details. No part of it is JSON unless a tool answers with JSON.
 */
export function answerText(envelope: Envelope, options: AnswerTextOptions): string {
  const text = plainText(envelope, options);
  return envelope.success && options.wroteTo !== undefined ? withLine(text, `[${options.wroteTo}]`) : text;
}

function plainText(envelope: Envelope, options: AnswerTextOptions): string {
  if (!envelope.success) {
    const { error, code, details } = envelope;
    const more = details === undefined ? "" : `\n${toLines(details)}`;
    return `${error} (${code})${more}`;
  }
  const { data, truncated } = envelope;
  const own = ownText(envelope, options);
  if (typeof own === "object") return own.tellsCut;
  const text = own ?? toLines(data ?? "done");
  return truncated === undefined ? text : withLine(text, cutLine(truncated));
}

function ownText(
  { data, truncated }: Extract<Envelope, { readonly success: true }>,
  { card, input }: AnswerTextOptions,
): ReturnType<NonNullable<ToolCard["toText"]>> {
  // Data that was cut to a text is the beginning of its JSON.
  if (card?.toText === undefined || typeof data !== "object" || data === null) return undefined;
  try {
    return card.toText(data, { input, ...(truncated !== undefined && { truncated }) });
  } catch {
    return undefined;
  }
}

function cutLine({ kept, total_chars: total, shown_chars: shown, next_line: next }: Truncation): string {
  const line = next === undefined ? "" : `, go on from line ${next}`;
  const whole = kept === undefined ? line : `; the whole is at ${kept}${line}`;
  return `[truncated: ${shown} of ${total} characters are shown${whole}]`;
}

/** The text with one more line at its end. */
export function withLine(text: string, line: string): string {
  return text === "" || text.endsWith("\n") ? `${text}${line}` : `${text}\n${line}`;
}
