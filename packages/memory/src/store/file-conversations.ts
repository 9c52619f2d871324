import { randomUUID } from "node:crypto";
import { IkigaiError } from "@ikigai/core";
import type { Conversations, RecordedManifest, StoredManifest, StoredMessage } from "@ikigai/core/host";
import type { DocumentChange, Documents, DocumentView } from "./documents.ts";

/** A conversation, as its file has it. */
export interface ConversationDocument<M = StoredMessage, F = StoredManifest> {
  readonly id: string;
  readonly agent: string;
  readonly workspace?: string;
  readonly started_at: string;
  /** Every message in its place; going back hides some. */
  readonly messages: readonly { readonly message: M; readonly hidden?: true }[];
  /** By name: how many messages there were, hidden ones included. */
  readonly marks: readonly (readonly [name: string, position: number])[];
  readonly manifest?: F;
  readonly manifests: readonly RecordedManifest<F>[];
}

export interface FileConversationsOptions<M> {
  /** Names a conversation by its messages. */
  readonly titleOf: (messages: readonly M[]) => string;
  /** Default: the machine's. */
  readonly clock?: () => Date;
}

export const CONVERSATIONS = "conversations";

/** Conversations in plain files. Contract: that of `Conversations`. */
export function createFileConversations<M extends StoredMessage, F extends StoredManifest>(
  documents: Documents,
  { titleOf, clock = () => new Date() }: FileConversationsOptions<M>,
): Conversations<M, F> {
  type Stored = ConversationDocument<M, F>;

  const find = async (view: DocumentView, id: string): Promise<Stored> => {
    const found = await view.get<Stored>(CONVERSATIONS, id);
    if (found === undefined) throw noConversation(id);
    return found;
  };
  const edit = (id: string, work: (stored: Stored) => Stored): Promise<void> =>
    documents.change(async (change) => change.set(CONVERSATIONS, id, work(await find(change, id))));
  const add = (
    change: DocumentChange,
    agent: string,
    workspace: string | undefined,
    messages: readonly M[],
  ): string => {
    const id = randomUUID();
    const begun: Stored = {
      id,
      agent,
      ...(workspace !== undefined && { workspace }),
      started_at: clock().toISOString(),
      messages: messages.map((message) => ({ message })),
      marks: [],
      manifests: [],
    };
    change.set(CONVERSATIONS, id, begun);
    return id;
  };

  return {
    create: (agent, workspace) => documents.change(async (change) => add(change, agent, workspace, [])),
    list: (agent) =>
      documents.look(async (view) => {
        const all = await view.list<Stored>(CONVERSATIONS);
        const own = all.filter((one) => one.agent === agent);
        return own.toSorted(newestFirst).map((one) => {
          const { id, started_at, workspace } = one;
          const messages = shownOf(one);
          const updated_at = messages.at(-1)?.at ?? started_at;
          const title = titleOf(messages);
          return {
            id,
            agent,
            started_at,
            updated_at,
            title,
            messages: messages.length,
            ...(workspace !== undefined && { workspace }),
          };
        });
      }),
    messages: (id) => documents.look(async (view) => shownOf(await find(view, id))),
    append: (id, messages) =>
      edit(id, (stored) => {
        const known = new Set(stored.messages.map(({ message }) => message.id));
        const fresh = messages.filter((message) => !known.has(message.id) && known.add(message.id));
        return { ...stored, messages: [...stored.messages, ...fresh.map((message) => ({ message }))] };
      }),
    fork: (id) =>
      documents.change(async (change) => {
        const original = await find(change, id);
        return add(change, original.agent, original.workspace, shownOf(original));
      }),
    mark: (id, name) =>
      edit(id, (stored) => {
        const others = stored.marks.filter(([one]) => one !== name);
        return { ...stored, marks: [...others, [name, stored.messages.length]] };
      }),
    rewind: (id, mark) =>
      edit(id, (stored) => {
        const found = stored.marks.find(([name]) => name === mark);
        if (found === undefined) throw unknownMark(mark, stored.marks);
        return hideFrom(stored, found[1]);
      }),
    rewindBefore: (id, message) =>
      edit(id, (stored) => {
        const position = stored.messages.findIndex((one) => one.message.id === message && one.hidden !== true);
        if (position === -1)
          throw new IkigaiError("not_found", `The conversation has no message ${JSON.stringify(message)}`);
        return hideFrom(stored, position);
      }),
    discardEmpty: (id) =>
      documents.change(async (change) => {
        const stored = await change.get<Stored>(CONVERSATIONS, id);
        if (stored?.messages.length === 0) change.remove(CONVERSATIONS, id);
      }),
    saveManifest: (id, manifest) => edit(id, (stored) => ({ ...stored, manifest })),
    lastManifest: (id) => documents.look(async (view) => (await find(view, id)).manifest),
    recordManifest: (id, manifest, turn) =>
      edit(id, (stored) => {
        const { manifests } = stored;
        const summary = stored.manifest?.summary;
        const recorded = { request: manifests.length + 1, turn, at: clock().toISOString(), manifest };
        return {
          ...stored,
          manifest: { ...manifest, ...(summary !== undefined && { summary }) },
          manifests: [...manifests, recorded],
        };
      }),
    findManifest: (id, { request, turn } = {}) =>
      documents.look(async (view) => {
        const stored = await view.get<Stored>(CONVERSATIONS, id);
        return stored?.manifests.findLast(
          (one) => (request ?? one.request) === one.request && (turn ?? one.turn) === one.turn,
        );
      }),
  };
}

/** Removes the conversations that are too old, or too many, and gives their number. */
export async function pruneConversations(
  change: DocumentChange,
  { before, rows }: { readonly before?: Date | undefined; readonly rows?: number | undefined },
  dryRun: boolean,
): Promise<number> {
  const all = await change.list<ConversationDocument>(CONVERSATIONS);
  const activeAt = (one: ConversationDocument): number =>
    new Date(one.messages.at(-1)?.message.at ?? one.started_at).getTime();
  const latestFirst = all.toSorted((a, b) => activeAt(b) - activeAt(a) || compare(b.id, a.id));
  const gone = latestFirst.filter(
    (one, place) => (before !== undefined && activeAt(one) < before.getTime()) || (rows !== undefined && place >= rows),
  );
  if (!dryRun) for (const { id } of gone) change.remove(CONVERSATIONS, id);
  return gone.length;
}

function shownOf<M, F>({ messages }: ConversationDocument<M, F>): readonly M[] {
  return messages.flatMap(({ message, hidden }) => (hidden === true ? [] : [message]));
}

function hideFrom<M, F>(stored: ConversationDocument<M, F>, position: number): ConversationDocument<M, F> {
  const messages = stored.messages.map((one, at) => (at < position ? one : { ...one, hidden: true as const }));
  return { ...stored, messages };
}

function newestFirst(a: ConversationDocument<unknown, unknown>, b: ConversationDocument<unknown, unknown>): number {
  return compare(b.started_at, a.started_at) || compare(b.id, a.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function noConversation(id: string): IkigaiError {
  return new IkigaiError("not_found", `No conversation has the id ${JSON.stringify(id)}`, {
    hint: "List the conversations to see their ids.",
  });
}

function unknownMark(mark: string, marks: ConversationDocument["marks"]): IkigaiError {
  const names = marks
    .map(([name]) => name)
    .toSorted()
    .join(", ");
  return new IkigaiError("not_found", `There is no mark ${JSON.stringify(mark)}`, {
    hint: names === "" ? "Set a mark first." : `Marks are: ${names}.`,
  });
}
