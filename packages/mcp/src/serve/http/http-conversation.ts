import { createHash } from "node:crypto";

/** The header by which a client that has no session keeps one conversation together. */
const CONVERSATION_HEADER = "ikigai-conversation";
const CONVERSATION = /^[\w.-]{1,64}$/;
const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";

export interface HttpConversation {
  readonly id: string;
  /** Whether other programs of the same name may be part of it. */
  readonly isShared: boolean;
}

/**
 * The conversation that a request without a session belongs to.
 *
 * Contract: what the request names itself is a conversation of its own. Else all requests of one client, by its name,
 * version and user agent, are one conversation; a request that says nothing of its client is one by itself.
 */
export function conversationOf(request: Request | undefined, body: unknown): HttpConversation {
  const named = request?.headers.get(CONVERSATION_HEADER) ?? "";
  if (CONVERSATION.test(named)) return { id: `http-${named}`, isShared: false };
  const client = clientIn(body);
  if (client === undefined) return { id: crypto.randomUUID(), isShared: false };
  const agent = request?.headers.get("user-agent") ?? "";
  const digest = createHash("sha256")
    .update(JSON.stringify([client, agent]))
    .digest("hex")
    .slice(0, 16);
  return { id: `http-client-${digest}`, isShared: true };
}

function clientIn(body: unknown): readonly unknown[] | undefined {
  const info = at(at(at(body, "params"), "_meta"), CLIENT_INFO);
  const name = at(info, "name");
  return typeof name === "string" ? [name, at(info, "version")] : undefined;
}

function at(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
