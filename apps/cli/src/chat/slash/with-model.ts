import { askPlainly, completeHistory, type Message } from "@ikigai/agent";
import { IkigaiError } from "@ikigai/core";
import type { ChatCommand } from "../chat-commands.ts";
import { runStoreCommand } from "./store-commands.ts";

const REMEMBER = `You choose what an agent should remember beyond this conversation: rules, decisions, preferences, names and facts that will
matter again. Write each as one short line that begins with "- ". Answer with these lines only, at most five.`;
const LONGEST_TRANSCRIPT = 60_000;
const MOST = 5;

/** `/remember TEXT` keeps a sentence; without one the model proposes what is worth it, and each needs a yes. */
const remember: ChatCommand = {
  name: "remember",
  usage: "[TEXT]",
  description: "keep a sentence, or let the model propose what is worth keeping",
  async run(args, chat) {
    const { agent, store, conversation, signal, say, ask } = chat;
    if (args !== "") return runStoreCommand(chat, "remember", [args]);
    const told = transcript(await store.conversations.messages(await conversation()));
    if (told === "") throw new IkigaiError("not_found", "There is nothing to remember yet");
    const answer = await askPlainly(REMEMBER, told, { model: await agent.model(), signal });
    const proposals = answer.split("\n").flatMap((line) => /^\s*[-*]\s+(.+)$/.exec(line)?.[1] ?? []);
    if (proposals.length === 0) return say("The model found nothing that is worth it.");
    for (const proposal of proposals.slice(0, MOST)) {
      say(`+ ${proposal} (${agent.count(proposal)} tokens)`);
      const answered = (await ask("Remember it? [y/N] ")).trim();
      if (signal.aborted) return;
      if (/^y(es)?$/i.test(answered)) await runStoreCommand(chat, "remember", [proposal]);
    }
  },
};

export const MODEL_COMMANDS: readonly ChatCommand[] = [remember];

function transcript(messages: readonly Message[]): string {
  const lines = completeHistory(messages).flatMap((message) =>
    message.role === "tool" || message.text === "" ? [] : [`${message.role}: ${message.text}`],
  );
  return lines.join("\n").slice(-LONGEST_TRANSCRIPT);
}
