import type { Attachment } from "@ikigai/core/host";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";

/**
 * A result with what the tool gave besides its data behind the text.
 *
 * Contract: at most `limit` characters of JSON in all; attachments that no longer fit are named in a last text.
 */
export function withAttachments(
  result: CallToolResult,
  attachments: readonly Attachment[],
  limit: number,
): CallToolResult {
  if (attachments.length === 0) return result;
  let left = limit - JSON.stringify(result).length;
  const shown: ContentBlock[] = [];
  const omitted: string[] = [];
  for (const attachment of attachments) {
    const block = toBlock(attachment);
    const size = JSON.stringify(block).length + 1;
    if (size > left) {
      omitted.push(`${attachment.type} of ${size} characters`);
      continue;
    }
    left -= size;
    shown.push(block);
  }
  const said = `Too large to be attached: ${omitted.join(", ")}.`;
  return {
    ...result,
    content: [...result.content, ...shown, ...(omitted.length > 0 ? [{ type: "text" as const, text: said }] : [])],
  };
}

function toBlock(attachment: Attachment): ContentBlock {
  switch (attachment.type) {
    case "link":
      return { ...attachment, type: "resource_link" };
    case "resource": {
      const { type, ...resource } = attachment;
      return { type, resource };
    }
    default:
      return { ...attachment };
  }
}
