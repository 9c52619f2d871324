import type { Envelope } from "@ikigai/core";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { answerText, type AnswerTextOptions } from "./answer-text.ts";
import type { Presentation } from "./presentation.ts";

export interface ToolResultOptions extends AnswerTextOptions {
  readonly presentation: Presentation;
  /** Whether the request asked for the envelope, by {@link ENVELOPE_KEY} in its `_meta`. */
  readonly wantsEnvelope?: boolean;
}

/** In `_meta` of a request: asks for the envelope. In `_meta` of the result: the envelope. */
export const ENVELOPE_KEY = "ikigai/envelope";
/** In `_meta` of a failed result: the code of the error. */
export const CODE_KEY = "ikigai/code";

/**
 * An envelope as the result of `tools/call`.
 *
 * Contract: the text says everything. Structured content is sent only where the host chose it, and never with a failure.
 */
export function toToolResult(envelope: Envelope, options: ToolResultOptions): CallToolResult {
  const { presentation, wantsEnvelope = false } = options;
  const meta = {
    ...(!envelope.success && { [CODE_KEY]: envelope.code }),
    ...(wantsEnvelope && { [ENVELOPE_KEY]: envelope }),
  };
  return {
    content: [{ type: "text", text: answerText(envelope, options) }],
    ...(!envelope.success && { isError: true }),
    ...(envelope.success && presentation === "structured" && { structuredContent: { ...envelope } }),
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  };
}

/** Like {@link toToolResult}; a result of more than `limit` characters becomes a failure that says so. */
export function toBoundedResult(envelope: Envelope, limit: number, options: ToolResultOptions): CallToolResult {
  const result = toToolResult(envelope, options);
  const size = JSON.stringify(result).length;
  if (size <= limit) return result;
  const error = `The answer has ${size} characters, more than ${limit}. Ask for less at once.`;
  return toToolResult({ success: false, error, code: "unsupported" }, options);
}
