import { IkigaiError } from "@ikigai/core";
import type { Command, Commands } from "@ikigai/core/host";

/** The commands of a host: one definition each for the shell, the conversation and the model. */
export function createCommands(): Commands {
  const commands = new Map<string, Command>();
  return {
    list: () => [...commands.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    get: (name) => commands.get(name),
    register(added) {
      const taken = added.find(
        ({ name }, index) => commands.has(name) || added.findIndex((one) => one.name === name) !== index,
      );
      if (taken !== undefined) throw new IkigaiError("conflict", `The command /${taken.name} is already registered`);
      for (const command of added) commands.set(command.name, command);
      return {
        [Symbol.dispose]() {
          for (const { name } of added) commands.delete(name);
        },
      };
    },
  };
}

/** Contract: `not_found` with the names that there are. */
export function findCommand(commands: Commands, name: string): Command {
  const found = commands.get(name);
  if (found !== undefined) return found;
  throw new IkigaiError("not_found", `There is no command /${name}`, {
    hint: `Use one of: ${commands
      .list()
      .filter(({ unavailable }) => unavailable === undefined)
      .map((one) => `/${one.name}`)
      .join(", ")}.`,
  });
}
