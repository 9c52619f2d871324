import { IkigaiError } from "@ikigai/core";
import type { ConversationInfo, RecordedManifest, StoredManifest, StoredMessage } from "@ikigai/core/host";

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

/** The messages that going back did not hide. */
export function shownMessages<M, F>({ messages }: ConversationDocument<M, F>): readonly M[] {
  return messages.flatMap(({ message, hidden }) => (hidden === true ? [] : [message]));
}

/** A conversation in a list of them. */
export function infoOf<M extends StoredMessage, F>(
  stored: ConversationDocument<M, F>,
  titleOf: (messages: readonly M[]) => string,
): ConversationInfo {
  const { id, agent, started_at, workspace } = stored;
  const messages = shownMessages(stored);
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

/** Contract: a message that is there already is not added again. */
export function withMessages<M extends StoredMessage, F>(
  stored: ConversationDocument<M, F>,
  messages: readonly M[],
): ConversationDocument<M, F> {
  const known = new Set(stored.messages.map(({ message }) => message.id));
  const fresh = messages.filter((message) => !known.has(message.id) && known.add(message.id));
  return { ...stored, messages: [...stored.messages, ...fresh.map((message) => ({ message }))] };
}

/** Marks the place behind the last message. Contract: a mark of that name moves. */
export function withMark<M, F>(stored: ConversationDocument<M, F>, name: string): ConversationDocument<M, F> {
  const others = stored.marks.filter(([one]) => one !== name);
  return { ...stored, marks: [...others, [name, stored.messages.length]] };
}

/** Hides what came after a mark. Contract: `not_found` names the marks that there are. */
export function rewoundTo<M, F>(stored: ConversationDocument<M, F>, mark: string): ConversationDocument<M, F> {
  const found = stored.marks.find(([name]) => name === mark);
  if (found === undefined) throw unknownMark(mark, stored.marks);
  return hideFrom(stored, found[1]);
}

/** Hides a message and what came after it. Contract: `not_found` unless that message is shown. */
export function rewoundBefore<M extends StoredMessage, F>(
  stored: ConversationDocument<M, F>,
  message: string,
): ConversationDocument<M, F> {
  const position = stored.messages.findIndex((one) => one.message.id === message && one.hidden !== true);
  if (position === -1) throw new IkigaiError("not_found", `The conversation has no message ${JSON.stringify(message)}`);
  return hideFrom(stored, position);
}

/** Records what a request was made from. Contract: the summary of the manifest before it stays. */
export function withManifest<M, F extends StoredManifest>(
  stored: ConversationDocument<M, F>,
  manifest: F,
  turn: number,
  at: string,
): ConversationDocument<M, F> {
  const { manifests } = stored;
  const summary = stored.manifest?.summary;
  return {
    ...stored,
    manifest: { ...manifest, ...(summary !== undefined && { summary }) },
    manifests: [...manifests, { request: manifests.length + 1, turn, at, manifest }],
  };
}

function hideFrom<M, F>(stored: ConversationDocument<M, F>, position: number): ConversationDocument<M, F> {
  const messages = stored.messages.map((one, at) => (at < position ? one : { ...one, hidden: true as const }));
  return { ...stored, messages };
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
