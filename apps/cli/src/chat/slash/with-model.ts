import { askPlainly, completeHistory, type Message } from "@ikigai/agent";
import { IkigaiError } from "@ikigai/core";
import { dataOf } from "../../host.ts";
import type { ChatCommand } from "../chat-commands.ts";
import type { ChatContext } from "../chat-context.ts";

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
    if (args !== "") return runStoreCommand(chat, "remember", args);
    const told = transcript(await store.conversations.messages(await conversation()));
    if (told === "") throw new IkigaiError("not_found", "There is nothing to remember yet");
    const answer = await askPlainly(REMEMBER, told, { model: await agent.model(), signal });
    const proposals = answer.split("\n").flatMap((line) => /^\s*[-*]\s+(.+)$/.exec(line)?.[1] ?? []);
    if (proposals.length === 0) return say("The model found nothing that is worth it.");
    for (const proposal of proposals.slice(0, MOST)) {
      say(`+ ${proposal} (${agent.count(proposal)} tokens)`);
      const answered = (await ask("Remember it? [y/N] ")).trim();
      if (signal.aborted) return;
      if (/^y(es)?$/i.test(answered)) await runStoreCommand(chat, "remember", JSON.stringify(proposal));
    }
  },
};

export const MODEL_COMMANDS: readonly ChatCommand[] = [remember];

/** The host's own commands, as a person types them here. */
export function storeChatCommands(host: ChatContext["host"], taken: ReadonlySet<string>): ChatCommand[] {
  return host.commands
    .list()
    .filter(({ name }) => !taken.has(name))
    .map(({ name, usage, description }) => ({
      name,
      usage,
      description,
      run: (args, chat) => runStoreCommand(chat, name, args),
    }));
}

/** Contract: what the person typed is approved; what a layer denies stays denied; journal and audit have their rows. */
async function runStoreCommand(chat: ChatContext, name: string, args: string): Promise<void> {
  const { host, agent, conversation, signal, say } = chat;
  const call = { name: "slash_command", arguments: { command: `/${name} ${args}`.trim() } };
  const envelope = await host.typed.call(call, { agent: agent.name, conversation: await conversation(), signal });
  say((dataOf(envelope) as { output: string }).output);
}

function transcript(messages: readonly Message[]): string {
  const lines = completeHistory(messages).flatMap((message) =>
    message.role === "tool" || message.text === "" ? [] : [`${message.role}: ${message.text}`],
  );
  return lines.join("\n").slice(-LONGEST_TRANSCRIPT);
}
