import { askPlainly, completeHistory, type Message } from "@ikigai/agent";
import { IkigaiError } from "@ikigai/core";
import { commandArguments, commandWords, type JournalRecord } from "@ikigai/memory";
import type { ChatCommand } from "../chat-commands.ts";
import type { ChatContext } from "../chat-context.ts";
import { runStoreCommand } from "./store-commands.ts";

const REMEMBER = `You choose what an agent should remember beyond this conversation: rules, decisions, preferences, names and facts that will
matter again. Write each as one short line that begins with "- ". Answer with these lines only, at most five.`;
const LONGEST_TRANSCRIPT = 60_000;
const MOST = 5;
const REMEMBERED = "blocks/remembered.md";
/** Calls and changes that are looked at. */
const LOOK_BACK = 200;

/** `/remember TEXT` keeps a sentence; without one the model proposes what is worth it, and each needs a yes. */
const remember: ChatCommand = {
  name: "remember",
  usage: "[TEXT]",
  description: "keep a sentence, or let the model propose what is worth keeping",
  async run(args, chat) {
    const { agent, store, conversation, signal, say, confirm } = chat;
    if (args !== "") return rememberAndPin(chat, commandArguments({ takesSentence: true }, args).join(""));
    const told = transcript(await store.conversations.messages(await conversation()));
    if (told === "")
      throw new IkigaiError("not_found", "There is nothing to remember yet", {
        hint: "Write what to remember: /remember TEXT.",
      });
    const answer = await askPlainly(REMEMBER, told, { model: await agent.model(), signal });
    const proposals = answer.split("\n").flatMap((line) => /^\s*[-*]\s+(.+)$/.exec(line)?.[1] ?? []);
    if (proposals.length === 0) return say("The model found nothing that is worth it.");
    for (const proposal of proposals.slice(0, MOST)) {
      const question = { heading: `Worth keeping (${agent.count(proposal)} tokens):`, lines: [proposal] };
      const agreed = await confirm(question, "Remember it?");
      if (signal.aborted) return;
      if (agreed) await rememberAndPin(chat, proposal);
    }
  },
};

/** `/compact ADDRESS` shortens a text; alone, this conversation. */
const compact: ChatCommand = {
  name: "compact",
  usage: "[ADDRESS]",
  description: "shorten this conversation to a summary, or an asset with the help of the model",
  async run(args, chat) {
    if (args !== "") return runStoreCommand(chat, "compact", commandWords(args));
    const { agent, session, signal, say } = chat;
    await agent.model();
    const count = await (await session()).compact(signal);
    if (signal.aborted) return;
    say(
      count === 0
        ? "There is nothing to shorten: nothing was said since the last summary, or none could be written."
        : `${count} ${count === 1 ? "exchange is" : "exchanges are"} left out from now on in favour of a summary. Nothing is lost: --continue and recall have the texts.`,
    );
  },
};

/** `/undo ADDRESS` takes back a change of a text; alone, the last change of this conversation. */
const undo: ChatCommand = {
  name: "undo",
  usage: "[ADDRESS [ID]]",
  description: "take back the last change of this conversation, or of a text",
  async run(args, chat) {
    if (args !== "") return runStoreCommand(chat, "undo", commandWords(args));
    const last = await lastChange(chat);
    if (last === undefined) {
      throw new IkigaiError("not_found", "Nothing was changed in this conversation that is not taken back already", {
        hint: "Name a text to take back an earlier change: /undo ADDRESS.",
      });
    }
    await runStoreCommand(chat, "undo", [last.uri, last.id]);
  },
};

export const MODEL_COMMANDS: readonly ChatCommand[] = [remember, compact, undo];

/** Keeps a sentence where every request of this agent has it. Contract: says so when it does not fit beside the other pins. */
async function rememberAndPin(chat: ChatContext, text: string): Promise<void> {
  await runStoreCommand({ ...chat, say: () => {} }, "remember", [text]);
  try {
    await runStoreCommand({ ...chat, say: () => {} }, "pin", [REMEMBERED]);
    chat.say(
      `Remembered in ikigai:///${REMEMBERED}. It is in effect from your next message on, here and in new conversations.`,
    );
  } catch (error) {
    if (!IkigaiError.is(error, "over_budget")) throw error;
    chat.say(`Remembered in ikigai:///${REMEMBERED}, but not in effect: ${error.message}`);
  }
}

/** The newest change of this conversation that is neither an undo nor taken back. */
async function lastChange({ host, store, conversation, typedCalls }: ChatContext): Promise<JournalRecord | undefined> {
  const { journal } = host.store;
  const messages = await store.conversations.messages(await conversation());
  const made = messages.flatMap((message) => (message.role === "assistant" ? message.calls.map(({ id }) => id) : []));
  const calls = [...made.slice(-LOOK_BACK), ...typedCalls.slice(-LOOK_BACK)];
  const records = (await Promise.all(calls.map((id) => journal.ofCall(id)))).flat();
  for (const record of records.toSorted((a, b) => Number(b.id) - Number(a.id))) {
    if (record.undoes !== undefined) continue;
    const later = await journal.history(record.uri, { owner: record.owner, limit: LOOK_BACK });
    if (!later.some(({ undoes }) => undoes === record.id)) return record;
  }
  return undefined;
}

function transcript(messages: readonly Message[]): string {
  const lines = completeHistory(messages).flatMap((message) =>
    message.role === "tool" || message.text === "" ? [] : [`${message.role}: ${message.text}`],
  );
  return lines.join("\n").slice(-LONGEST_TRANSCRIPT);
}
