import type { ContextPart, ConversationStore } from "@ikigai/agent";
import { type TextContent, IkigaiError } from "@ikigai/core";
import type { Pins } from "@ikigai/memory";
import { createRedactor } from "@ikigai/permission";
import { ASSETS } from "../policy/host-policy.ts";
import type { Host } from "../host.ts";
import type { ChatStore } from "./chat-store.ts";
import { redactMessage } from "./redact-message.ts";

type Pin = Awaited<ReturnType<Pins["status"]>>["pins"][number];

const BLOCK = "block:///";
const ASSET = `${ASSETS}:///`;

/**
 * Conversations, pins, budget and archive of the host's store.
 *
 * Contract: opens nothing until it is asked; no secret of a message is kept.
 */
export function openChatStore({
  store,
  blocks,
  sources,
  services,
}: Pick<Host, "store" | "blocks" | "sources" | "services">): ChatStore {
  const { pins } = store;
  const redactor = createRedactor();
  const conversations: ConversationStore = {
    create: (agent, workspace) => store.conversations.create(agent, workspace),
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
    rewindBefore: (id, message) => store.conversations.rewindBefore(id, message),
    discardEmpty: (id) => store.conversations.discardEmpty(id),
    saveManifest: (id, manifest) => store.conversations.saveManifest(id, manifest),
    lastManifest: (id) => store.conversations.lastManifest(id),
    recordManifest: (id, manifest, turn) => store.conversations.recordManifest(id, manifest, turn),
    findManifest: (id, which) => store.conversations.findManifest(id, which),
  };

  /** A text that grew past the budget by another's doing is shown as it was when it fitted. */
  async function read(agent: string, { uri, version, behind }: Pin): Promise<TextContent | undefined> {
    const actor = { agent, conversation: "", callId: "context", tool: "context" };
    if (uri.startsWith(BLOCK)) return { text: await blocks.view(uri.slice(BLOCK.length), actor), version };
    const { source, address } = sources.route(uri);
    if (behind && source.history !== undefined) {
      for await (const revision of source.history(address.path, { actor }))
        if (revision.version === version && revision.text !== undefined) return { text: revision.text, version };
    }
    return source.read(address.path, { actor });
  }

  async function partOf(agent: string, pin: Pin): Promise<ContextPart | undefined> {
    try {
      const found = await read(agent, pin);
      const reason = pin.behind ? "pinned; the newest version does not fit the budget" : "pinned";
      return found && { kind: "pinned", source: pin.uri, ...found, reason };
    } catch (error) {
      if (IkigaiError.is(error, "not_found")) return undefined;
      throw error;
    }
  }

  /** One look at the pins serves all who ask for it at the same moment, as every request does. */
  let looking: { readonly agent: string; readonly status: ReturnType<Pins["status"]> } | undefined;
  function statusOf(agent: string): ReturnType<Pins["status"]> {
    if (looking?.agent === agent) return looking.status;
    const status = pins.status(agent);
    looking = { agent, status };
    queueMicrotask(() => (looking = undefined));
    return status;
  }

  /** Parts of the last request. An asset's version is never given to another text, so they need not be read again. */
  let known: ReadonlyMap<string, ContextPart> = new Map();

  return {
    conversations,
    async pinned(agent) {
      const { pins: rows } = await statusOf(agent);
      const used = new Map<string, ContextPart>();
      const parts = await Promise.all(
        rows.map(async (pin): Promise<ContextPart[]> => {
          const key = JSON.stringify([agent, pin.uri, pin.version, pin.behind]);
          const part = known.get(key) ?? (await partOf(agent, pin));
          if (part === undefined) return [];
          if (pin.uri.startsWith(ASSET) && part.version === pin.version) used.set(key, part);
          return [part];
        }),
      );
      known = used;
      return parts.flat();
    },
    async budget(agent) {
      const { pinned, limit } = await statusOf(agent);
      return { used: pinned, limit };
    },
    async archive(agent, conversation, exchanges) {
      const messages = exchanges.flatMap((exchange) => exchange.messages);
      await services.turnArchive?.keep(conversation, messages, agent);
    },
    loadSummary: async (conversation) => (await conversations.lastManifest(conversation))?.summary,
    async saveSummary(conversation, summary) {
      const manifest = await conversations.lastManifest(conversation);
      if (manifest !== undefined) await conversations.saveManifest(conversation, { ...manifest, summary });
    },
  };
}
