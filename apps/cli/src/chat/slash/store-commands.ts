import type { Command } from "@ikigai/core";
import { commandWords } from "@ikigai/memory";
import { dataOf } from "../../host.ts";
import type { ChatCommand } from "../chat-commands.ts";

/** The commands on what is stored, as they are typed in a conversation: the same definitions as in the shell. */
export function storeChatCommands(commands: readonly Command[], taken: readonly string[]): ChatCommand[] {
  return commands
    .filter(({ name }) => !taken.includes(name))
    .map(({ name, usage, description }) => ({
      name,
      ...(usage !== "" && { usage }),
      description,
      async run(args, { host, agent, conversation, signal, say }) {
        const line = [`/${name}`, ...commandWords(args).map((word) => JSON.stringify(word))].join(" ");
        const envelope = await host.typed.call(
          { name: "slash_command", arguments: { command: line } },
          { agent: agent.name, conversation, signal },
        );
        say((dataOf(envelope) as { output: string }).output);
      },
    }));
}
