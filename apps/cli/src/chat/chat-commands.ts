import { IkigaiError } from "@ikigai/core";
import type { ChatContext } from "./chat-context.ts";

/** Something a person types with a slash. */
export interface ChatCommand {
  readonly name: string;
  readonly description: string;
  /** What follows the name. */
  readonly usage?: string;
  /** Contract: throws `IkigaiError` for what the person can act on; it is shown, and the conversation goes on. */
  run(args: string, chat: ChatContext): Promise<void>;
}

/** The slash commands there are now. Others may join, as a store does with /pin. */
export interface ChatCommands {
  /** Contract: refuses a name that is taken; dispose to withdraw exactly these. */
  add(commands: readonly ChatCommand[]): Disposable;
  list(): readonly ChatCommand[];
  /** Those whose name begins so, in order. */
  startingWith(prefix: string): readonly ChatCommand[];
  /** Runs a line that begins with a slash. Contract: `not_found` names what is near. */
  run(line: string, chat: ChatContext): Promise<void>;
}

export function createChatCommands(): ChatCommands {
  const known = new Map<string, ChatCommand>();
  const list = (): ChatCommand[] => [...known.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const startingWith = (prefix: string): ChatCommand[] => list().filter(({ name }) => name.startsWith(prefix));
  return {
    add(commands) {
      const taken = commands.find(({ name }) => known.has(name));
      if (taken !== undefined) throw new IkigaiError("conflict", `There is a command /${taken.name} already`);
      for (const command of commands) known.set(command.name, command);
      return { [Symbol.dispose]: () => commands.forEach(({ name }) => known.delete(name)) };
    },
    list,
    startingWith,
    async run(line, chat) {
      const [, name = "", args = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
      const command = known.get(name);
      if (command !== undefined) return command.run(args.trim(), chat);
      const near = startingWith(name.slice(0, 1)).map((one) => `/${one.name}`);
      throw new IkigaiError("not_found", `There is no command /${name}`, {
        hint: near.length === 0 ? "See /help." : `Did you mean ${near.join(", ")}? See /help.`,
      });
    },
  };
}
