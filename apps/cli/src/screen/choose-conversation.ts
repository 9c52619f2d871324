import type { Message } from "@ikigai/agent";
import type { Resume } from "../command-line.ts";
import { type ChatStore, conversationLine, findConversation, listConversations } from "@ikigai/host/agent";
import { foldText } from "./show-result.ts";
import { describeInterruption } from "./describe-interruption.ts";

const RECALLED = 4;
const OFFERED = 20;

export interface ChooseOptions {
  readonly agent: string;
  /** The folder whose conversations are meant. */
  readonly workspace: string;
  readonly resume: Resume | undefined;
  ask(question: string): Promise<string>;
  say(line: string): void;
  /** Tools that may end a turn. */
  readonly exits?: readonly string[];
}

/**
 * The conversation to open.
 *
 * Contract: `not_found` for an id that is none; says it when there is nothing to go on with, and what was interrupted. The
 * latest is the one of this folder in which something was said last.
 */
export async function chooseConversation({ conversations }: ChatStore, options: ChooseOptions): Promise<string> {
  const { agent, workspace, resume, ask, say, exits = [] } = options;
  const begin = (): Promise<string> => conversations.create(agent, workspace);
  const open = async (id: string): Promise<string> => {
    showLastWords(await conversations.messages(id), say, exits);
    return id;
  };
  if (resume === undefined) return begin();
  if (resume.kind === "id") return open(await findConversation(conversations, agent, workspace, resume.id));
  const known = await listConversations(conversations, agent, workspace);
  const [latest] = known;
  if (latest === undefined) {
    say("There is no conversation to go on with in this folder, so this is a new one.");
    return begin();
  }
  if (resume.kind === "latest") return open(latest.id);
  known.slice(0, OFFERED).forEach((one, index) => say(`${String(index + 1).padStart(2)}  ${conversationLine(one)}`));
  const answer = (await ask("Which one? (a number or an id; Enter for a new one) ")).trim();
  if (answer === "") return begin();
  const chosen = /^\d{1,2}$/.test(answer) ? known[Number(answer) - 1]?.id : undefined;
  return open(chosen ?? (await findConversation(conversations, agent, workspace, answer)));
}

/** Shows the end of a conversation, long texts folded. */
function showLastWords(messages: readonly Message[], say: (line: string) => void, exits: readonly string[]): void {
  const told = messages.flatMap((message) =>
    message.role === "user" || (message.role === "assistant" && (message.text !== "" || message.interrupted === true))
      ? [message]
      : [],
  );
  for (const message of told.slice(-RECALLED)) {
    const stopped = message.role === "assistant" && message.interrupted === true;
    say(
      [
        ...(message.text === "" ? [] : [`${message.role === "user" ? "> " : ""}${foldText(message.text.trimEnd())}`]),
        ...(stopped ? ["(interrupted)"] : []),
      ].join("\n"),
    );
  }
  const interrupted = describeInterruption(messages, exits);
  if (interrupted !== undefined) say(interrupted);
}
