import { Command, Option } from "commander";
import { APPROVAL_MODES } from "./approval-modes.ts";
import { examples } from "./command-line.ts";
import type { CommandGroup } from "./commands/all.ts";
import { readVersion } from "./program-version.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** The program with its global flags; {@link addSummaries} or the groups themselves add the commands. */
export function createProgram({ print, complain }: Pick<Terminal, "print" | "complain">): Command {
  return new Command("ikigai")
    .description(
      'One set of tools and one kind of address for everything an agent keeps.\nAlone it opens a conversation; ikigai "TASK" begins one with that message.',
    )
    .usage("[options] [command | TASK]")
    .version(readVersion(), "-v, --version", "print the version")
    .option("--root <dir>", "the workspace (default: the current folder)")
    .option("--store <dir|url>", "where state lives (default: the user's data directory)")
    .option("--agent <name>", "who acts (default: IKIGAI_AGENT, then default)")
    .addOption(
      new Option("--approve <mode>", "what needs no asking (default: ask; for mcp: edits)").choices(APPROVAL_MODES),
    )
    .option("--model <provider/model>", "the model to talk to (default: IKIGAI_MODEL, then the configuration)")
    .option("--base-url <url>", "where an OpenAI-compatible model is served")
    .option("-p, --print [task]", "do the task, print the answer and end, as run does")
    .option("--continue", "go on with the last conversation of this workspace")
    .option("--resume [id]", "go on with a conversation by the beginning of its id, or choose one")
    .option("--json", "print results as JSON")
    .option("--quiet", "print nothing but results and errors")
    .exitOverride()
    .configureOutput({ writeOut: (text) => print(text.trimEnd()), writeErr: (text) => complain(text.trimEnd()) })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("(see ikigai --help)")
    .addHelpText(
      "after",
      examples(
        "ikigai",
        'ikigai "what is in this folder?"',
        "ikigai tools",
        `ikigai tool file_read '{"path":"README.md"}'`,
      ),
    );
}

/** Adds what help says of every command, and none of the commands. */
export function addSummaries(program: Command, groups: readonly CommandGroup[]): void {
  const usages = new Map(groups.flatMap(({ commands }) => commands.map(([usage]) => [nameOf(usage), usage])));
  program.configureHelp({
    showGlobalOptions: true,
    subcommandTerm: (command) => usages.get(command.name()) ?? command.name(),
  });
  for (const { commands } of groups)
    for (const [usage, description] of commands) program.command(nameOf(usage)).description(description);
}

/** The name at the beginning of a usage. */
export function nameOf(usage: string): string {
  return usage.split(" ")[0] ?? "";
}
