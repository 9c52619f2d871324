import { type ErrorCode, IkigaiError } from "@ikigai/core";
import { type Attachment, isNestedTooDeep, MAX_NESTING } from "@ikigai/core/host";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { CODE_KEY } from "../serve/tools/tool-result.ts";
import { cleanText } from "./clean-text.ts";

/** What a foreign tool answered, as the data of an envelope. */
export interface ForeignResult {
  /** The text parts, joined by blank lines. */
  readonly text?: string;
  /** The structured part, when there is one; the text then only repeats it and is left out. */
  readonly data?: unknown;
  /** Parts that are not text, described, each with where it is kept. */
  readonly other?: readonly string[];
}

/** A part that is not text, to be kept. */
export interface KeptPart {
  /** The call that it came from, and which of its parts it is, from 1. */
  readonly callId: string;
  /** Agent that made the call. */
  readonly agent: string;
  readonly part: number;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

export interface ForeignResultOptions {
  readonly callId: string;
  readonly agent: string;
  /** Takes the parts that are not text as they are. Absent: they are only described. */
  readonly attach?: ((attachment: Attachment) => void) | undefined;
  /** Keeps a part and gives its address. Absent, or without an address: it is not kept. */
  readonly keep?: ((part: KeptPart) => Promise<string | undefined>) | undefined;
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
const MAX_NAME = 500;

/** Contract: throws for a result that is an error, with its code where the server names one of ours. */
export async function foreignResult(
  server: string,
  tool: string,
  result: CallToolResult,
  options: ForeignResultOptions,
): Promise<ForeignResult> {
  const { attach } = options;
  // Embedded text that is passed on as it is need not be repeated.
  const text = result.content.flatMap((block) => textOf(block, attach === undefined)).join("\n\n");
  const structured: unknown = result.structuredContent;
  if (result.isError === true) {
    const named = typeof structured === "object" && structured !== null && "error_type" in structured;
    const said = result._meta?.[CODE_KEY] ?? (named ? structured.error_type : undefined);
    const code = CODES.has(String(said)) ? (said as ErrorCode) : "unavailable";
    throw new IkigaiError(code, `${tool} of ${server} failed: ${text === "" ? "it says nothing more" : text}`);
  }
  if (isNestedTooDeep(structured)) {
    throw new IkigaiError(
      "unavailable",
      `${tool} of ${server} answered with data that is nested more than ${MAX_NESTING} levels deep`,
    );
  }
  const other: string[] = [];
  for (const [index, block] of result.content.entries()) {
    const attachment = attachmentOf(block);
    if (attachment === undefined) continue;
    attach?.(attachment);
    const said = await describe(attachment, index + 1, options);
    if (said !== undefined) other.push(said);
  }
  return {
    ...(structured === undefined ? { text } : { data: structured }),
    ...(other.length > 0 && { other }),
  };
}

function textOf(block: ContentBlock, withEmbedded: boolean): string[] {
  if (block.type === "text") return [block.text];
  return withEmbedded && block.type === "resource" && "text" in block.resource ? [block.resource.text] : [];
}

function attachmentOf(block: ContentBlock): Attachment | undefined {
  switch (block.type) {
    case "image":
    case "audio":
      return { type: block.type, mimeType: block.mimeType, data: block.data };
    case "resource_link":
      return { type: "link", uri: block.uri, name: block.name, ...withType(block.mimeType) };
    case "resource": {
      const { uri, mimeType } = block.resource;
      const head = { type: "resource", uri, ...withType(mimeType) } as const;
      return "text" in block.resource ? { ...head, text: block.resource.text } : { ...head, blob: block.resource.blob };
    }
    default:
      return undefined;
  }
}

/**
 * Describes a part of an answer in words, for callers that take no attachments. Absent: its text stands in the data.
 */
async function describe(
  attachment: Attachment,
  part: number,
  { callId, agent, attach, keep }: ForeignResultOptions,
): Promise<string | undefined> {
  if (attachment.type === "link") return `resource ${cleanText(attachment.uri, MAX_NAME)}`;
  if (attachment.type === "resource" && "text" in attachment) {
    if (attach === undefined) return undefined;
    return `resource ${cleanText(attachment.uri, MAX_NAME)}, ${attachment.text.length} characters, attached`;
  }
  const bytes = Buffer.from("data" in attachment ? attachment.data : attachment.blob, "base64");
  const mimeType = cleanText(attachment.mimeType ?? "application/octet-stream", MAX_NAME);
  const what = attachment.type === "resource" ? `resource ${cleanText(attachment.uri, MAX_NAME)}` : attachment.type;
  const address = await keep?.({ callId, agent, part, mimeType, bytes });
  return `${what} ${mimeType}, ${bytes.length} bytes, ${address === undefined ? "not kept" : `kept at ${address}`}`;
}

function withType(mimeType: string | undefined): { mimeType?: string } {
  return mimeType === undefined ? {} : { mimeType };
}
