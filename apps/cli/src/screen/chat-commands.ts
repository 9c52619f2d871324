import { existsSync } from "node:fs";
import { IkigaiError } from "@ikigai/core";
import type { ChatContext } from "./chat-context.ts";
import type { Span } from "@ikigai/terminal/screen";

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
  /**
   * Whether a text is a command, or the try of one, and no message.
   *
   * Contract: a message that begins with a path of this machine, or with more than one pasted line, is none.
   */
  isCommand(text: string, pasted?: readonly Span[]): boolean;
  /** Runs a line that begins with a slash. Contract: `not_found` names what is near. */
  run(line: string, chat: ChatContext): Promise<void>;
}

const NAME = /^\/(\S*)\s*([\s\S]*)$/;

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
    isCommand(text, pasted = []) {
      if (!text.startsWith("/")) return false;
      const [, name = ""] = NAME.exec(text) ?? [];
      if (pasted.some(({ start, end }) => start === 0 && text.slice(0, end).trimEnd().includes("\n"))) return false;
      if (name === "") return text.trim() === "/";
      return known.has(name) || !(name.includes("/") || existsSync(`/${name}`));
    },
    async run(line, chat) {
      const [, name = "", args = ""] = NAME.exec(line) ?? [];
      const command = known.get(name);
      if (command !== undefined) return command.run(args.trim(), chat);
      const near = startingWith(name.slice(0, 1)).map((one) => `/${one.name}`);
      throw new IkigaiError("not_found", `There is no command /${name}`, {
        hint: `${near.length === 0 ? "" : `Did you mean ${near.join(", ")}? `}See /help. A space before it makes it a message.`,
      });
    },
  };
}
