import type { Command } from "@ikigai/core";
import { commandWords } from "@ikigai/memory";
import { dataOf } from "../../host.ts";
import type { ChatCommand } from "../chat-commands.ts";
import type { ChatContext } from "../chat-context.ts";

/** The commands on what is stored, as they are typed in a conversation: the same definitions as in the shell. */
export function storeChatCommands(commands: readonly Command[], taken: readonly string[]): ChatCommand[] {
  return commands
    .filter(({ name }) => !taken.includes(name))
    .map(({ name, usage, description }) => ({
      name,
      ...(usage !== "" && { usage }),
      description,
      run: (args, chat) => runStoreCommand(chat, name, commandWords(args)),
    }));
}

/** Contract: what the person typed is approved; what a layer denies stays denied; journal and audit have their rows. */
export async function runStoreCommand(chat: ChatContext, name: string, words: readonly string[]): Promise<void> {
  const { host, agent, conversation, signal, say } = chat;
  const command = [`/${name}`, ...words.map((word) => JSON.stringify(word))].join(" ");
  const envelope = await host.typed.call(
    { name: "slash_command", arguments: { command } },
    { agent: agent.name, conversation: await conversation(), signal },
  );
  say((dataOf(envelope) as { output: string }).output);
}
