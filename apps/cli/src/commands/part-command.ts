import { effectiveConfig } from "@ikigai/host/configuration";
import type { Settings } from "../settings.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { runSlashCommand } from "./memory/slash.ts";

/**
 * Runs a command that a configured part brings, as `ikigai NAME …`.
 *
 * Contract: gives the exit code; absent when no part brings a command of that name. Opens nothing where the configuration
 * names no part.
 */
export async function runPartCommand(
  settings: Settings,
  terminal: Terminal,
  [name = "", ...args]: readonly string[],
): Promise<number | undefined> {
  const { parts = [] } = await effectiveConfig(settings, () => {});
  if (parts.length === 0) return undefined;
  const { openTerminalHost } = await import("../terminal/terminal-host.ts");
  const host = await openTerminalHost(settings, terminal);
  try {
    const command = host.commands.get(name);
    if (command === undefined) return undefined;
    const words = command.takesSentence === true ? [args.join(" ")] : args;
    return await runSlashCommand({ host, settings, terminal }, name, words);
  } finally {
    await host.close();
  }
}
