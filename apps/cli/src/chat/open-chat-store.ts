import type { ContextPart, Exchange, SummaryState } from "@ikigai/agent";
import { requireCapability } from "@ikigai/core";
import { ASSETS } from "../host-policy.ts";
import type { Host } from "../host.ts";
import type { ChatStore } from "./chat-store.ts";

const SUMMARIES = "system/summaries";

/** Conversations, pins, summaries and archived turns in the host's store, so that they are there again tomorrow. */
export async function openChatStore(host: Host): Promise<ChatStore> {
  const { store } = host;
  return {
    conversations: store.conversations,
    durable: true,
    pinned: (agent) => pinnedParts(host, agent),
    async budget(agent) {
      const { pinned, limit } = await store.pins.status(agent);
      return { used: pinned, limit };
    },
    archive: (agent, conversation, exchanges) =>
      store.recall.mirror(
        exchanges.flatMap((exchange) => turnsOf(conversation, exchange)),
        { owner: agent },
      ),
    async loadSummary(conversation) {
      const { source, address } = summaryPlace(host, conversation);
      const found = await source.read(address.path);
      return found === undefined ? undefined : (JSON.parse(found.text) as SummaryState);
    },
    async saveSummary(conversation, state) {
      const route = summaryPlace(host, conversation);
      await requireCapability(route, "write").write(route.address.path, JSON.stringify(state));
    },
  };
}

/** Each pinned text as it is now; one that grew past the budget by another's doing is said to be left out. */
async function pinnedParts({ store, sources, blocks }: Host, agent: string): Promise<ContextPart[]> {
  const actor = { agent, conversation: "context", callId: "context", tool: "context" };
  const { pins } = await store.pins.status(agent);
  const parts = await Promise.all(
    pins.map(async ({ uri, behind, version }): Promise<ContextPart | undefined> => {
      if (uri.startsWith("block:///")) {
        const text = await blocks.view(uri.slice("block:///".length), actor);
        return { kind: "pinned", source: uri, version, text, reason: "pinned block" };
      }
      const { source, address } = sources.route(uri);
      const text = behind ? await textAt(source, address.path, version) : undefined;
      const found = await source.read(address.path, { actor });
      if (text !== undefined)
        return {
          kind: "pinned",
          source: uri,
          version,
          text,
          reason: "pinned; the newest version does not fit the budget",
        };
      return found && { kind: "pinned", source: uri, version: found.version, text: found.text, reason: "pinned" };
    }),
  );
  return parts.filter((part) => part !== undefined);
}

/** The text that a version had, for a source that knows its history. */
async function textAt(
  source: ReturnType<Host["sources"]["route"]>["source"],
  path: string,
  version: string,
): Promise<string | undefined> {
  if (source.history === undefined) return undefined;
  for await (const revision of source.history(path)) if (revision.version === version) return revision.text;
  return undefined;
}

function turnsOf(
  conversation: string,
  { messages }: Exchange,
): Parameters<Host["store"]["recall"]["mirror"]>[0][number][] {
  return messages.flatMap((message, order) =>
    message.role === "tool" || message.text === ""
      ? []
      : [
          {
            kind: "turn" as const,
            address: `conversation:///${conversation}/${message.id}`,
            content: `${message.role}: ${message.text}`,
            thread: conversation,
            order,
            occurredAt: new Date(message.at),
          },
        ],
  );
}

function summaryPlace({ sources }: Host, conversation: string): ReturnType<Host["sources"]["route"]> {
  return sources.route(`${ASSETS}:///${SUMMARIES}/${conversation}.json`);
}
