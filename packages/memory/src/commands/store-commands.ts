import type { Command } from "@ikigai/core/host";
import { assetCommands } from "./asset-commands.ts";
import type { CommandContext } from "./command-context.ts";
import { compactCommand } from "./compact-command.ts";
import { historyCommands } from "./history-commands.ts";
import { pinCommands } from "./pin-commands.ts";

/** The commands on what is stored: pins, assets, history. */
export function storeCommands(context: CommandContext): Command[] {
  return [...pinCommands(context), ...assetCommands(context), ...historyCommands(context), compactCommand(context)];
}

/** What the commands are called and how they are used, for a program that has not opened anything yet. */
export function describeStoreCommands(): readonly Pick<
  Command,
  "name" | "usage" | "description" | "examples" | "takesSentence"
>[] {
  // An empty context suffices: a command reads it only when it runs.
  return storeCommands({} as CommandContext);
}
