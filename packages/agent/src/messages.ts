/** A call as the model made it. */
export interface CallPart {
  readonly id: string;
  readonly name: string;
  /** JSON text, unchecked. */
  readonly arguments: string;
}

interface Stored {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
}

/** What a conversation is made of. Kept as it was; a request is built from it. */
export type Message =
  | (Stored & { readonly role: "user"; readonly text: string })
  | (Stored & { readonly role: "event"; readonly text: string })
  | (Stored & {
      readonly role: "assistant";
      readonly text: string;
      readonly calls: readonly CallPart[];
      /** The turn was stopped here: the text is as far as it had come. */
      readonly interrupted?: true;
    })
  | (Stored & { readonly role: "tool"; readonly callId: string; readonly name: string; readonly envelope: string });

export type AssistantMessage = Extract<Message, { role: "assistant" }>;
export type ToolMessage = Extract<Message, { role: "tool" }>;

/** One question and everything up to the next. It is kept or evicted as a whole. */
export interface Exchange {
  readonly messages: readonly Message[];
}

const NO_RESULT = JSON.stringify({
  success: false,
  error: "The call was interrupted before it gave a result. Check what happened before calling again",
  code: "aborted",
});

/** What the model reads at the end of an answer that was stopped. */
export const STOPPED = "[The user stopped this turn here.]";
/** What the model reads where a question has no answer, because the program ended or the provider failed. */
export const NOT_ANSWERED = "[This turn ended before there was an answer.]";

/** An assistant's text as the model reads it again: a stopped one says that it was. */
export function spoken({ text, interrupted }: AssistantMessage): string {
  if (interrupted !== true) return text;
  return text.trim() === "" ? STOPPED : `${text}\n\n${STOPPED}`;
}

/**
 * The history as providers accept it: each call has exactly one result, right behind it; no result is without its call.
 *
 * Contract: order is kept; a call without a result gets one that says so; a second result for a call, a second call
 * with the same id, and an assistant message that says nothing are dropped. A question without an answer gets one that says
 * so, so that the next question is read on its own. What is in order is the same object.
 */
export function completeHistory(messages: readonly Message[]): Message[] {
  const results = new Map<string, ToolMessage>();
  for (const message of messages) {
    if (message.role === "tool" && !results.has(message.callId)) results.set(message.callId, message);
  }
  const seen = new Set<string>();
  const complete: Message[] = [];
  for (const message of messages) {
    if (message.role === "tool") continue;
    if (message.role !== "assistant") {
      const last = complete.at(-1);
      if (last?.role === "user") {
        complete.push({ role: "assistant", id: `${last.id}/end`, at: last.at, text: NOT_ANSWERED, calls: [] });
      }
      complete.push(message);
      continue;
    }
    const calls = message.calls.filter(({ id }) => !seen.has(id) && seen.add(id));
    if (message.text === "" && calls.length === 0 && message.interrupted !== true) continue;
    complete.push(calls.length === message.calls.length ? message : { ...message, calls });
    for (const { id, name } of calls) {
      complete.push(
        results.get(id) ?? {
          role: "tool",
          id: `${message.id}/${id}`,
          at: message.at,
          callId: id,
          name,
          envelope: NO_RESULT,
        },
      );
    }
  }
  return complete;
}

/** Cuts a history into exchanges. Contract: nothing is lost, and a call stays with its result. */
export function toExchanges(messages: readonly Message[]): Exchange[] {
  const exchanges: Message[][] = [];
  let opening = false;
  for (const message of messages) {
    const opens = message.role === "user" || message.role === "event";
    if (exchanges.length === 0 || (opens && !opening)) exchanges.push([]);
    exchanges.at(-1)?.push(message);
    opening = opens;
  }
  return exchanges.map((part) => ({ messages: part }));
}
