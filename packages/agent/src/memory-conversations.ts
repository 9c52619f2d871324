import { IkigaiError } from "@ikigai/core";
import type { ConversationInfo, RecordedManifest } from "@ikigai/core/host";
import type { Manifest } from "./context/context.ts";
import type { ConversationStore } from "./conversation-store.ts";
import type { Message } from "./messages.ts";

interface Conversation {
  readonly agent: string;
  readonly workspace: string | undefined;
  readonly started_at: string;
  messages: Message[];
  readonly marks: Map<string, number>;
  manifest?: Manifest;
  readonly manifests: RecordedManifest<Manifest>[];
}

const TITLE_LENGTH = 60;

/** Conversations that end with the process. */
export function createMemoryConversations(now: () => Date = () => new Date()): ConversationStore {
  const conversations = new Map<string, Conversation>();
  const find = (id: string): Conversation => {
    const found = conversations.get(id);
    if (found === undefined)
      throw new IkigaiError("not_found", `No conversation has the id ${JSON.stringify(id)}`, {
        hint: "List them with: ikigai conversations.",
      });
    return found;
  };
  const add = (agent: string, workspace: string | undefined, messages: readonly Message[]): string => {
    const id = crypto.randomUUID();
    const started_at = now().toISOString();
    conversations.set(id, { agent, workspace, started_at, messages: [...messages], marks: new Map(), manifests: [] });
    return id;
  };

  return {
    create: async (agent, workspace) => add(agent, workspace, []),
    list: async (agent) =>
      [...conversations]
        .filter(([, one]) => one.agent === agent)
        .map(([id, one]) => toInfo(id, one))
        .toReversed(),
    messages: async (id) => [...find(id).messages],
    async append(id, messages) {
      const conversation = find(id);
      const known = new Set(conversation.messages.map((message) => message.id));
      conversation.messages.push(...messages.filter((message) => !known.has(message.id)));
    },
    fork: async (id) => add(find(id).agent, find(id).workspace, find(id).messages),
    async mark(id, name) {
      const conversation = find(id);
      conversation.marks.set(name, conversation.messages.length);
    },
    async rewind(id, mark) {
      const conversation = find(id);
      const position = conversation.marks.get(mark);
      if (position === undefined) throw unknownMark(mark, [...conversation.marks.keys()]);
      conversation.messages = conversation.messages.slice(0, position);
    },
    async rewindBefore(id, message) {
      const conversation = find(id);
      const position = conversation.messages.findIndex((one) => one.id === message);
      if (position === -1)
        throw new IkigaiError("not_found", `The conversation has no message ${JSON.stringify(message)}`);
      conversation.messages = conversation.messages.slice(0, position);
    },
    async discardEmpty(id) {
      if (conversations.get(id)?.messages.length === 0) conversations.delete(id);
    },
    async saveManifest(id, manifest) {
      find(id).manifest = manifest;
    },
    lastManifest: async (id) => find(id).manifest,
    async recordManifest(id, manifest, turn) {
      const conversation = find(id);
      const { manifests } = conversation;
      manifests.push({ request: manifests.length + 1, turn, at: now().toISOString(), manifest });
      const summary = conversation.manifest?.summary;
      conversation.manifest = { ...manifest, ...(summary !== undefined && { summary }) };
    },
    findManifest: async (id, { request, turn } = {}) =>
      find(id).manifests.findLast((one) => (request ?? one.request) === one.request && (turn ?? one.turn) === one.turn),
  };
}

/** Contract: the hint lists the marks that there are. */
export function unknownMark(mark: string, marks: readonly string[]): IkigaiError {
  return new IkigaiError("not_found", `There is no mark ${JSON.stringify(mark)}`, {
    hint: marks.length === 0 ? "Set one with /mark NAME." : `Marks are: ${marks.join(", ")}.`,
  });
}

/** The first question as one short line. */
export function titleOf(messages: readonly Message[]): string {
  const first = messages.find((message) => message.role === "user");
  const line = (first?.role === "user" ? first.text : "").replaceAll(/\s+/g, " ").trim();
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH - 1)}…` : line;
}

function toInfo(id: string, { agent, workspace, started_at, messages }: Conversation): ConversationInfo {
  return {
    id,
    agent,
    started_at,
    updated_at: messages.at(-1)?.at ?? started_at,
    title: titleOf(messages),
    messages: messages.length,
    ...(workspace !== undefined && { workspace }),
  };
}
