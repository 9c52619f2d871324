import { readFileSync } from "node:fs";
import { IkigaiError, messageOf } from "@ikigai/core";
import { Command, CommanderError, Option } from "commander";
import { type AddCommand, examples, type WithSession } from "./command-line.ts";
import { addAudit } from "./commands/audit.ts";
import { addMcp } from "./commands/mcp.ts";
import { addNotes } from "./commands/notes.ts";
import { addRecall } from "./commands/recall.ts";
import { showOverview } from "./commands/overview.ts";
import { addPermission } from "./commands/permission.ts";
import { addPlugin } from "./commands/plugin.ts";
import { addSlashCommands } from "./commands/slash.ts";
import { addSources } from "./commands/sources.ts";
import { addStore } from "./commands/store.ts";
import { addTool } from "./commands/tool.ts";
import { addTools } from "./commands/tools.ts";
import { addTrust } from "./commands/trust.ts";
import { openHost } from "./host.ts";
import { APPROVAL_MODES, type GlobalFlags, resolveSettings } from "./settings.ts";
import { createTerminal, type Terminal } from "./terminal.ts";

const MISUSE = 2;
const COMMANDS: readonly AddCommand[] = [
  addTool,
  addTools,
  addSources,
  addSlashCommands,
  addStore,
  addAudit,
  addPermission,
  addTrust,
  addMcp,
  addNotes,
  addRecall,
  addPlugin,
];

/** Runs the command line. Contract: resolves to the exit code; 0 success, 1 a call failed, 2 misuse. */
export async function main(
  args: readonly string[],
  openTerminal: (quiet: boolean) => Terminal = createTerminal,
): Promise<number> {
  let exitCode = 0;
  const program = createProgram(openTerminal(false));
  const withSession: WithSession = async (use) => {
    const settings = resolveSettings(program.opts<GlobalFlags>());
    const terminal = openTerminal(settings.quiet);
    const host = await openHost(settings, terminal);
    try {
      exitCode = (await use({ host, settings, terminal })) ?? 0;
    } finally {
      await host.close();
    }
  };
  program.action(() => withSession(showOverview));
  for (const add of COMMANDS) add(program, withSession, { openTerminal, setExitCode: (code) => (exitCode = code) });
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSE;
    openTerminal(false).complain(explain(error));
    return MISUSE;
  }
}

function createProgram({ print, complain }: Terminal): Command {
  return new Command("ikigai")
    .description("One set of tools and one kind of address for everything an agent keeps.")
    .version(readVersion(), "--version", "print the version")
    .option("--root <dir>", "the workspace (default: the current folder)")
    .option("--store <dir|url>", "where state lives (default: the user's data directory)")
    .option("--agent <name>", "who acts (default: IKIGAI_AGENT, then default)")
    .addOption(new Option("--approve <mode>", "what needs no asking (default: ask)").choices(APPROVAL_MODES))
    .option("--json", "print results as JSON")
    .option("--quiet", "print nothing but results and errors")
    .exitOverride()
    .configureOutput({ writeOut: (text) => print(text.trimEnd()), writeErr: (text) => complain(text.trimEnd()) })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("(see ikigai --help)")
    .addHelpText("after", examples("ikigai", "ikigai tools", `ikigai tool file_read '{"path":"README.md"}'`));
}

/** What went wrong, for a person; the stack only when it is our fault. */
function explain(error: unknown): string {
  if (!IkigaiError.is(error)) return (error as Error).stack ?? messageOf(error);
  return error.hint === undefined ? error.message : `${error.message}. ${error.hint}`;
}

function readVersion(): string {
  const manifest = new URL("../package.json", import.meta.url);
  return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
}
