import { type ErrorCode, IkigaiError } from "@ikigai/core";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { CODE_KEY } from "../serve/tool-result.ts";

/** What a foreign tool answered, as the data of an envelope. */
export interface ForeignResult {
  /** The text parts, joined by blank lines. */
  readonly text?: string;
  /** The structured part, when there is one; the text then only repeats it and is left out. */
  readonly data?: unknown;
  /** Parts that are not text, described. */
  readonly other?: readonly string[];
}

const CODES: ReadonlySet<string> = new Set<ErrorCode>([
  "not_found",
  "ambiguous",
  "conflict",
  "invalid_input",
  "permission_denied",
  "over_budget",
  "unsupported",
  "unavailable",
  "timeout",
  "aborted",
  "internal",
]);

/** Contract: throws for a result that is an error, with its code where the server names one of ours. */
export function foreignResult(server: string, tool: string, result: CallToolResult): ForeignResult {
  const text = result.content.flatMap(textOf).join("\n\n");
  const structured: unknown = result.structuredContent;
  if (result.isError === true) {
    const named = typeof structured === "object" && structured !== null && "error_type" in structured;
    const said = result._meta?.[CODE_KEY] ?? (named ? structured.error_type : undefined);
    const code = CODES.has(String(said)) ? (said as ErrorCode) : "unavailable";
    throw new IkigaiError(code, `${tool} of ${server} failed: ${text === "" ? "it says nothing more" : text}`);
  }
  const other = result.content.flatMap(otherOf);
  return {
    ...(structured === undefined ? { text } : { data: structured }),
    ...(other.length > 0 && { other }),
  };
}

function textOf(block: ContentBlock): string[] {
  if (block.type === "text") return [block.text];
  return block.type === "resource" && "text" in block.resource ? [block.resource.text] : [];
}

function otherOf(block: ContentBlock): string[] {
  if (block.type === "image" || block.type === "audio") {
    return [`${block.type} ${block.mimeType}, ${block.data.length} characters of base64, not shown`];
  }
  if (block.type === "resource_link") return [`resource ${block.uri}`];
  return block.type === "resource" && !("text" in block.resource) ? [`resource ${block.resource.uri}, binary`] : [];
}
