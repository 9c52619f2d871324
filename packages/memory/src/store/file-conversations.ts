import { randomUUID } from "node:crypto";
import { IkigaiError } from "@ikigai/core";
import type { Conversations, StoredManifest, StoredMessage } from "@ikigai/core/host";
import {
  type ConversationDocument,
  rewoundBefore,
  rewoundTo,
  shownMessages,
  infoOf,
  withManifest,
  withMark,
  withMessages,
} from "./conversation-document.ts";
import type { DocumentChange, Documents, DocumentView } from "./documents.ts";

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
        return own.toSorted(newestFirst).map((one) => infoOf(one, titleOf));
      }),
    messages: (id) => documents.look(async (view) => shownMessages(await find(view, id))),
    append: (id, messages) => edit(id, (stored) => withMessages(stored, messages)),
    fork: (id) =>
      documents.change(async (change) => {
        const original = await find(change, id);
        return add(change, original.agent, original.workspace, shownMessages(original));
      }),
    mark: (id, name) => edit(id, (stored) => withMark(stored, name)),
    rewind: (id, mark) => edit(id, (stored) => rewoundTo(stored, mark)),
    rewindBefore: (id, message) => edit(id, (stored) => rewoundBefore(stored, message)),
    discardEmpty: (id) =>
      documents.change(async (change) => {
        const stored = await change.get<Stored>(CONVERSATIONS, id);
        if (stored?.messages.length === 0) change.remove(CONVERSATIONS, id);
      }),
    saveManifest: (id, manifest) => edit(id, (stored) => ({ ...stored, manifest })),
    lastManifest: (id) => documents.look(async (view) => (await find(view, id)).manifest),
    recordManifest: (id, manifest, turn) =>
      edit(id, (stored) => withManifest(stored, manifest, turn, clock().toISOString())),
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
