import { IkigaiError, messageOf } from "@ikigai/core";
import type { ContentBlock } from "@modelcontextprotocol/client";
import type { PromptCard, PromptMessage, PromptText } from "../serve/resources/prompts.ts";
import { cleanText } from "./clean-text.ts";
import type { MountedMcpServer } from "./mount-mcp-server.ts";

const MAX_PROMPTS = 500;
const MAX_TEXT = 1_000;
const BETWEEN = "__";

/** The prompts of a mounted server, as `server__prompt`. Contract: none while it is down or has none. */
export async function foreignPrompts(server: MountedMcpServer): Promise<readonly PromptCard[]> {
  const { name: prefix } = server.status();
  const prompts = await server
    .use(async (client) => {
      if (client.getServerCapabilities()?.prompts === undefined) return [];
      return (await client.listPrompts(undefined, { cacheMode: "bypass" })).prompts;
    })
    .catch(() => []);
  return prompts.slice(0, MAX_PROMPTS).map(({ name, title, description, arguments: values }) => ({
    name: `${prefix}${BETWEEN}${name}`,
    ...(title !== undefined && { title: cleanText(title, MAX_TEXT) }),
    ...(description !== undefined && { description: cleanText(description, MAX_TEXT) }),
    ...(values !== undefined && {
      arguments: values.map((value) => ({
        name: value.name,
        ...(value.description !== undefined && { description: cleanText(value.description, MAX_TEXT) }),
        ...(value.required !== undefined && { required: value.required }),
      })),
    }),
  }));
}

/**
 * One prompt of a mounted server, by its name here.
 *
 * Contract: `undefined` for a name that is not of this server; `unavailable` with the server's own words when it fails.
 */
export async function foreignPrompt(
  server: MountedMcpServer,
  name: string,
  values: Readonly<Record<string, string>>,
): Promise<PromptText | undefined> {
  const prefix = `${server.status().name}${BETWEEN}`;
  if (!name.startsWith(prefix)) return undefined;
  const own = name.slice(prefix.length);
  try {
    const { description, messages } = await server.use((client) =>
      client.getPrompt({ name: own, arguments: { ...values } }),
    );
    return {
      ...(description !== undefined && { description: cleanText(description, MAX_TEXT) }),
      messages: messages.map(({ role, content }) => ({ role, ...contentOf(content) })),
    };
  } catch (error) {
    if (IkigaiError.is(error)) throw error;
    const why = `${own} of the MCP server "${server.status().name}" failed: ${messageOf(error)}`;
    throw new IkigaiError("unavailable", why, { cause: error });
  }
}

type Content = PromptMessage extends infer Message ? (Message extends unknown ? Omit<Message, "role"> : never) : never;

function contentOf(block: ContentBlock): Content {
  switch (block.type) {
    case "text":
      return { text: block.text };
    case "image":
      return { image: { data: block.data, mimeType: block.mimeType } };
    case "audio":
      return { audio: { data: block.data, mimeType: block.mimeType } };
    case "resource": {
      const { uri, mimeType } = block.resource;
      const head = { uri, ...(mimeType !== undefined && { mimeType }) };
      return "text" in block.resource
        ? { resource: { ...head, text: block.resource.text } }
        : { resource: { ...head, blob: block.resource.blob } };
    }
    default:
      return { text: `Resource ${cleanText(block.uri, MAX_TEXT)}` };
  }
}
