import type { ContextPart, Exchange, Message } from "@ikigai/agent";
import { IkigaiError } from "@ikigai/core";
import type { Host } from "../host.ts";
import type { ChatStore } from "./chat-store.ts";

type MirroredTexts = Parameters<Host["store"]["recall"]["mirror"]>[0];

const BLOCK = "block:///";
const LONGEST_ARCHIVED = 20_000;

/** Conversations, pins, budget and archive of the host's store. Contract: opens nothing until it is asked. */
export function openChatStore({ store, blocks, sources }: Pick<Host, "store" | "blocks" | "sources">): ChatStore {
  const { conversations, pins, recall } = store;

  async function read(agent: string, uri: string): Promise<string | undefined> {
    const actor = { agent, conversation: "", callId: "context", tool: "context" };
    if (uri.startsWith(BLOCK)) return blocks.view(uri.slice(BLOCK.length), actor);
    const route = sources.route(uri);
    return (await route.source.read(route.address.path, { actor }))?.text;
  }

  return {
    conversations,
    async pinned(agent) {
      const parts: ContextPart[] = [];
      for (const { uri, version, behind } of (await pins.status(agent)).pins) {
        const text = await read(agent, uri).catch((error: unknown) => {
          if (IkigaiError.is(error, "not_found")) return undefined;
          throw error;
        });
        const reason = behind ? "pinned; it has grown past the budget since" : "pinned";
        if (text !== undefined) parts.push({ kind: "pinned", source: uri, version, text, reason });
      }
      return parts;
    },
    async budget(agent) {
      const { pinned, limit } = await pins.status(agent);
      return { used: pinned, limit };
    },
    archive: (agent, conversation, exchanges) => recall.mirror(toTurns(conversation, exchanges), { owner: agent }),
    loadSummary: async (conversation) => (await conversations.lastManifest(conversation))?.summary,
    async saveSummary(conversation, summary) {
      const manifest = await conversations.lastManifest(conversation);
      if (manifest !== undefined) await conversations.saveManifest(conversation, { ...manifest, summary });
    },
  };
}

/** What was said, by address; what tools answered can be had again. */
function toTurns(conversation: string, exchanges: readonly Exchange[]): MirroredTexts {
  return exchanges
    .flatMap(({ messages }) => messages)
    .flatMap((message: Message) =>
      message.role === "tool" || message.text.trim() === ""
        ? []
        : [
            {
              kind: "turn" as const,
              address: `conversation:///${conversation}/${message.id}`,
              content: `${message.role}: ${message.text}`.slice(0, LONGEST_ARCHIVED),
              thread: conversation,
              occurredAt: new Date(message.at),
            },
          ],
    );
}
