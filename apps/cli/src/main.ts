import { readFileSync } from "node:fs";
import { IkigaiError, messageOf } from "@ikigai/core";
import { Command, CommanderError, Option } from "commander";
import { showOverview } from "./commands/overview.ts";
import { listSources } from "./commands/sources.ts";
import { runTool } from "./commands/tool.ts";
import { CATALOG_FORMATS, type CatalogFormat, listTools } from "./commands/tools.ts";
import { type Host, openHost } from "./host.ts";
import { APPROVAL_MODES, type GlobalFlags, resolveSettings, type Settings } from "./settings.ts";
import { createTerminal, type Terminal } from "./terminal.ts";

const MISUSE = 2;

/** Runs the command line. Contract: resolves to the exit code; 0 success, 1 a call failed, 2 misuse. */
export async function main(
  args: readonly string[],
  openTerminal: (quiet: boolean) => Terminal = createTerminal,
): Promise<number> {
  let exitCode = 0;
  const program = buildProgram((code) => (exitCode = code), openTerminal);
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSE;
    const hint = IkigaiError.is(error) && error.hint !== undefined ? `. ${error.hint}` : "";
    openTerminal(false).complain(
      IkigaiError.is(error) ? `${error.message}${hint}` : ((error as Error).stack ?? messageOf(error)),
    );
    return MISUSE;
  }
}

function buildProgram(setExitCode: (code: number) => void, openTerminal: (quiet: boolean) => Terminal): Command {
  const { print, complain } = openTerminal(false);
  const program = new Command("ikigai")
    .description("One set of tools and one kind of address for everything an agent keeps.")
    .version(readVersion(), "--version", "print the version")
    .option("--root <dir>", "the workspace (default: the current folder)")
    .option("--store <dir|url>", "where state lives (default: the user's data directory)")
    .option("--agent <name>", "who acts (default: IKIGAI_AGENT, then default)")
    .addOption(new Option("--approve <mode>", "what needs no asking").choices(APPROVAL_MODES))
    .option("--json", "print results as JSON")
    .option("--quiet", "print nothing but results and errors")
    .exitOverride()
    .configureOutput({ writeOut: (text) => print(text.trimEnd()), writeErr: (text) => complain(text.trimEnd()) })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("(see ikigai --help)")
    .addHelpText("after", examples("ikigai", "ikigai tools", `ikigai tool file_read '{"path":"README.md"}'`));

  const withHost = async (
    use: (host: Host, settings: Settings, terminal: Terminal) => Promise<number> | number | void,
  ): Promise<void> => {
    const settings = resolveSettings(program.opts<GlobalFlags>());
    const terminal = openTerminal(settings.quiet);
    const host = await openHost(settings, terminal);
    try {
      setExitCode((await use(host, settings, terminal)) ?? 0);
    } finally {
      await host.close();
    }
  };

  program.action(() => withHost(showOverview));
  program
    .command("tool")
    .description("call one tool and print its envelope as one JSON line")
    .argument("<name>", "the tool")
    .argument("[arguments]", "a JSON object, or - to read it from standard input", "{}")
    .option("--force", "file_write: whatever is there now counts as seen")
    .action((name: string, argument: string, { force = false }: { force?: boolean }) =>
      withHost((host, settings, terminal) => runTool(host, settings, terminal, name, argument, force)),
    )
    .addHelpText(
      "after",
      examples(
        `ikigai tool file_read '{"path":"src/a.ts","offset":10,"limit":5}'`,
        `ikigai tool file_edit '{"path":"a.md","old":"x","new":"y"}' --approve edits`,
        `echo '{"path":"README.md"}' | ikigai tool file_read -`,
      ),
    );
  program
    .command("tools")
    .description("list the tools")
    .addOption(new Option("--format <format>", "as a provider takes them").choices(CATALOG_FORMATS))
    .action(({ format }: { format?: CatalogFormat }) =>
      withHost((host, settings, terminal) => listTools(host, terminal, format, settings.json)),
    )
    .addHelpText("after", examples("ikigai tools", "ikigai tools --format openai"));
  program
    .command("sources")
    .description("list the mounted sources, what they can do and how they are")
    .action(() => withHost((host, settings, terminal) => listSources(host, terminal, settings.json)))
    .addHelpText("after", examples("ikigai sources", "ikigai sources --json"));
  return program;
}

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}`;
}

function readVersion(): string {
  const manifest = new URL("../package.json", import.meta.url);
  return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
}
