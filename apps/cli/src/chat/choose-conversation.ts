import type { Message } from "@ikigai/agent";
import type { Resume } from "../command-line.ts";
import type { ChatStore } from "./chat-store.ts";
import { describeInterruption } from "./describe-interruption.ts";

const RECALLED = 4;

/**
 * The conversation to open.
 *
 * Contract: `not_found` for an id that is none; says it when there is nothing to go on with, and what was interrupted. The
 * latest is the one in which something was said last; `exits` are tools that may end a turn.
 */
export async function chooseConversation(
  { conversations }: ChatStore,
  agent: string,
  resume: Resume | undefined,
  ask: (question: string) => Promise<string>,
  say: (line: string) => void,
  exits: readonly string[] = [],
): Promise<string> {
  if (resume === undefined) return conversations.create(agent);
  if (resume.kind === "id") return recall(resume.id, await conversations.messages(resume.id), say, exits);
  const known = (await conversations.list(agent))
    .filter(({ messages }) => messages > 0)
    .toSorted((a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at));
  const [latest] = known;
  if (latest === undefined) {
    say("There is no conversation to go on with, so this is a new one.");
    return conversations.create(agent);
  }
  let chosen: string | undefined = latest.id;
  if (resume.kind === "choose") {
    known.slice(0, 20).forEach(({ updated_at, title }, index) => say(`${index + 1}  ${updated_at}  ${title}`));
    chosen = known[Number(await ask("Which one? ")) - 1]?.id;
  }
  if (chosen === undefined) return conversations.create(agent);
  return recall(chosen, await conversations.messages(chosen), say, exits);
}

function recall(
  id: string,
  messages: readonly Message[],
  say: (line: string) => void,
  exits: readonly string[],
): string {
  const told = messages.filter(
    (message) => message.role === "user" || (message.role === "assistant" && message.text !== ""),
  );
  for (const message of told.slice(-RECALLED))
    say(`${message.role === "user" ? "> " : ""}${"text" in message ? message.text : ""}`);
  const interrupted = describeInterruption(messages, exits);
  if (interrupted !== undefined) say(interrupted);
  return id;
}
