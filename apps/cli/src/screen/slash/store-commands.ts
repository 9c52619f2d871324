import { randomUUID } from "node:crypto";
import type { Envelope } from "@ikigai/core";
import type { Command } from "@ikigai/core/host";
import { commandArguments, commandLine } from "@ikigai/memory";
import { editAsset } from "../../terminal/edit-asset.ts";
import { dataOf } from "@ikigai/host";
import type { ChatCommand } from "../chat-commands.ts";
import type { ChatContext } from "../chat-context.ts";

/** The commands on what is stored, as they are typed in a conversation: the same definitions as in the shell. */
export function storeChatCommands(commands: readonly Command[], taken: readonly string[]): ChatCommand[] {
  return commands
    .filter(({ name }) => !taken.includes(name))
    .map(({ name, usage, description, takesSentence = false }) => ({
      name,
      ...(usage !== "" && { usage }),
      description,
      run: (args, chat) => runStoreCommand(chat, name, commandArguments({ takesSentence }, args)),
    }));
}

/** Contract: what the person typed is approved; what a layer denies stays denied; journal and audit have their rows. */
export async function runStoreCommand(chat: ChatContext, name: string, words: readonly string[]): Promise<void> {
  const { host, agent, conversation, signal, say, lend, typedCalls } = chat;
  const who = { agent: agent.name, conversation: await conversation(), signal };
  const call = (given: readonly string[]): Promise<Envelope> => {
    const id = randomUUID();
    typedCalls.push(id);
    return host.typed.call({ id, name: "slash_command", arguments: { command: commandLine(name, given) } }, who);
  };
  const envelope = await (name === "assets" && lend !== undefined
    ? editAsset(words, { call, interactive: true, lend })
    : call(words));
  say((dataOf(envelope) as { output: string }).output);
}
