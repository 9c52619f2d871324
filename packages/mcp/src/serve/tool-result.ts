import type { Envelope } from "@ikigai/core";
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Presentation } from "./presentation.ts";

export interface ToolResultOptions {
  readonly presentation: Presentation;
  /** Whether the tool was offered with an output schema, which makes structured content a duty. */
  readonly hasOutputSchema: boolean;
}

/** Characters of JSON that may stand in both places. */
const SMALL = 2_000;
/** Characters of `,"structuredContent":`. */
const BETWEEN = 21;

/**
 * An envelope as the result of `tools/call`.
 *
 * Contract: structured content is the envelope itself, a failure's with its code again as `error_type`. Its JSON stands
 * in the text too while it is small; a larger one is sent once, where the client's model reads it.
 */
export function toToolResult(envelope: Envelope, options: ToolResultOptions): CallToolResult {
  return present(envelope, options).result;
}

/** The result and its size in characters of JSON, which is not measured twice where it is known. */
function present(envelope: Envelope, options: ToolResultOptions): { result: CallToolResult; size?: number } {
  if (!envelope.success) {
    const text = envelope.details === undefined ? "" : `\n${JSON.stringify(envelope.details)}`;
    return {
      result: {
        isError: true,
        content: [{ type: "text", text: `${envelope.error} (${envelope.code})${text}` }],
        structuredContent: { ...envelope, error_type: envelope.code },
      },
    };
  }
  const json = JSON.stringify(envelope);
  const structuredContent = { ...envelope };
  if (json.length <= SMALL) return { result: { content: [{ type: "text", text: json }], structuredContent } };
  if (options.presentation === "text" && !options.hasOutputSchema) {
    return { result: { content: [{ type: "text", text: json }] } };
  }
  const result = { content: [{ type: "text" as const, text: pointer(json.length) }] };
  return { result: { ...result, structuredContent }, size: json.length + JSON.stringify(result).length + BETWEEN };
}

/** Like {@link toToolResult}; a result of more than `limit` characters becomes a failure that says so. */
export function toBoundedResult(envelope: Envelope, limit: number, options: ToolResultOptions): CallToolResult {
  const { result, size = JSON.stringify(result).length } = present(envelope, options);
  if (size <= limit) return result;
  const error = `The answer has ${size} characters, more than ${limit}. Ask for less at once.`;
  return toToolResult({ success: false, error, code: "unsupported" }, options);
}

function pointer(length: number): string {
  return `The result, ${length} characters of JSON, is in structuredContent and is not repeated here.`;
}
