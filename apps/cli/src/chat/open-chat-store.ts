import type { ContextPart, ConversationStore, Exchange, Message } from "@ikigai/agent";
import { type BlockContent, IkigaiError } from "@ikigai/core";
import type { Pins } from "@ikigai/memory";
import { createRedactor } from "@ikigai/permission";
import type { Host } from "../host.ts";
import { hasFeature } from "../parts.ts";
import type { ChatStore } from "./chat-store.ts";
import { redactMessage } from "./redact-message.ts";

type Pin = Awaited<ReturnType<Pins["status"]>>["pins"][number];
type MirroredTexts = Parameters<Host["store"]["recall"]["mirror"]>[0];

const BLOCK = "block:///";
const LONGEST_ARCHIVED = 20_000;

/**
 * Conversations, pins, budget and archive of the host's store.
 *
 * Contract: opens nothing until it is asked; no secret of a message is kept.
 */
export function openChatStore({ store, blocks, sources }: Pick<Host, "store" | "blocks" | "sources">): ChatStore {
  const { pins, recall } = store;
  const redactor = createRedactor();
  const conversations: ConversationStore = {
    create: (agent) => store.conversations.create(agent),
    list: (agent) => store.conversations.list(agent),
    messages: (id) => store.conversations.messages(id),
    append: (id, messages) =>
      store.conversations.append(
        id,
        messages.map((message) => redactMessage(message, redactor)),
      ),
    fork: (id) => store.conversations.fork(id),
    mark: (id, name) => store.conversations.mark(id, name),
    rewind: (id, mark) => store.conversations.rewind(id, mark),
    saveManifest: (id, manifest) => store.conversations.saveManifest(id, manifest),
    lastManifest: (id) => store.conversations.lastManifest(id),
  };

  /** A text that grew past the budget by another's doing is shown as it was when it fitted. */
  async function read(agent: string, { uri, version, behind }: Pin): Promise<BlockContent | undefined> {
    const actor = { agent, conversation: "", callId: "context", tool: "context" };
    if (uri.startsWith(BLOCK)) return { text: await blocks.view(uri.slice(BLOCK.length), actor), version };
    const { source, address } = sources.route(uri);
    if (behind && source.history !== undefined) {
      for await (const revision of source.history(address.path, { actor }))
        if (revision.version === version && revision.text !== undefined) return { text: revision.text, version };
    }
    return source.read(address.path, { actor });
  }

  return {
    conversations,
    async pinned(agent) {
      const parts: ContextPart[] = [];
      for (const pin of (await pins.status(agent)).pins) {
        const found = await read(agent, pin).catch((error: unknown) => {
          if (IkigaiError.is(error, "not_found")) return undefined;
          throw error;
        });
        const reason = pin.behind ? "pinned; the newest version does not fit the budget" : "pinned";
        if (found !== undefined) parts.push({ kind: "pinned", source: pin.uri, ...found, reason });
      }
      return parts;
    },
    async budget(agent) {
      const { pinned, limit } = await pins.status(agent);
      return { used: pinned, limit };
    },
    async archive(agent, conversation, exchanges) {
      if (hasFeature("recall")) await recall.mirror(toTurns(conversation, exchanges), { owner: agent });
    },
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
