import { readFileSync } from "node:fs";
import { IkigaiError, messageOf, withHint } from "@ikigai/core";
import { Command, CommanderError, Option } from "commander";
import type { Resume } from "./chat/choose-conversation.ts";
import { examples, type Surroundings, type WithSession } from "./command-line.ts";
import { APPROVAL_MODES, type GlobalFlags, resolveSettings } from "./settings.ts";
import { createTerminal, type Terminal } from "./terminal.ts";

const MISUSE = 2;
/** What goes wrong although the command is right. */
const FAILURES: readonly string[] = ["unavailable", "timeout", "conflict", "over_budget", "aborted"];

/** Runs the command line. Contract: resolves to the exit code; 0 success, 1 a call failed, 2 misuse. */
export async function main(
  args: readonly string[],
  openTerminal: (quiet: boolean) => Terminal = createTerminal,
): Promise<number> {
  let exitCode = 0;
  const plain = openTerminal(false);
  const program = createProgram(plain);
  const withSession: WithSession = async (use) => {
    const settings = resolveSettings(program.opts<GlobalFlags>());
    const terminal = openTerminal(settings.quiet);
    // Loaded when it is needed, so that help, errors and the first prompt do not wait for it.
    const { openHost } = await import("./host.ts");
    const host = await openHost(settings, terminal);
    try {
      exitCode = (await use({ host, settings, terminal })) ?? 0;
    } catch (error) {
      if (!IkigaiError.is(error) || !FAILURES.includes(error.code)) throw error;
      terminal.complain(explain(error));
      exitCode = 1;
    } finally {
      await host.close();
    }
  };
  const surroundings: Surroundings = { openTerminal, setExitCode: (code) => (exitCode = code) };
  try {
    if (plain.conversational === true && isBare(args)) return await converse(args);
    if (isServer(args)) {
      const { addMcp } = await import("./commands/mcp.ts");
      addMcp(program, withSession, surroundings);
      await program.parseAsync(args, { from: "user" });
      return exitCode;
    }
    const { COMMANDS, showOverview } = await import("./commands/all.ts");
    program.allowExcessArguments().action(() => {
      const [unknown] = program.args;
      if (unknown === undefined) return withSession(showOverview);
      throw new IkigaiError("invalid_input", `There is no command ${JSON.stringify(unknown)}`, {
        hint: "See ikigai --help.",
      });
    });
    for (const add of COMMANDS) add(program, withSession, surroundings);
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSE;
    openTerminal(false).complain(explain(error));
    return MISUSE;
  }
}

/** The program with its global flags; `COMMANDS` adds the rest. */
export function createProgram({ print, complain }: Pick<Terminal, "print" | "complain">): Command {
  return new Command("ikigai")
    .description("One set of tools and one kind of address for everything an agent keeps.")
    .version(readVersion(), "--version", "print the version")
    .option("--root <dir>", "the workspace (default: the current folder)")
    .option("--store <dir|url>", "where state lives (default: the user's data directory)")
    .option("--agent <name>", "who acts (default: IKIGAI_AGENT, then default)")
    .addOption(new Option("--approve <mode>", "what needs no asking (default: ask)").choices(APPROVAL_MODES))
    .option("--model <provider/model>", "the model to talk to (default: IKIGAI_MODEL, then the configuration)")
    .option("--base-url <url>", "where an OpenAI-compatible model is served")
    .option("--continue", "go on with the last conversation")
    .option("--resume [id]", "go on with a conversation, or choose one")
    .option("--json", "print results as JSON")
    .option("--quiet", "print nothing but results and errors")
    .exitOverride()
    .configureOutput({ writeOut: (text) => print(text.trimEnd()), writeErr: (text) => complain(text.trimEnd()) })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("(see ikigai --help)")
    .addHelpText("after", examples("ikigai", "ikigai tools", `ikigai tool file_read '{"path":"README.md"}'`));
}

/** Whether only global flags are given, so that a conversation is meant. Contract: reads nothing and prints nothing. */
function isBare(args: readonly string[]): boolean {
  if (args.some((arg) => /^(--version|--json|--help|-h)$/.test(arg))) return false;
  const given = partsOf(args);
  return given !== undefined && given.operands.length === 0 && given.unknown.length === 0;
}

/** Whether a server is meant, whose client waits for it at every start: no other command is loaded then. */
function isServer(args: readonly string[]): boolean {
  if (args.some((arg) => /^(--version|--help|-h)$/.test(arg))) return false;
  return partsOf(args)?.operands[0] === "mcp";
}

/** What is given besides global flags. Contract: absent when they are wrong, which the program itself will say. */
function partsOf(args: readonly string[]): ReturnType<Command["parseOptions"]> | undefined {
  try {
    return createProgram(SILENT).parseOptions([...args]);
  } catch {
    return undefined;
  }
}

const SILENT: Pick<Terminal, "print" | "complain"> = { print: () => {}, complain: () => {} };

async function converse(args: readonly string[]): Promise<number> {
  const program = createProgram(SILENT);
  program.parseOptions([...args]);
  const flags = program.opts<GlobalFlags & ResumeFlags>();
  const { startChat } = await import("./chat/start-chat.ts");
  return startChat(resolveSettings(flags), toResume(flags));
}

interface ResumeFlags {
  readonly continue?: boolean;
  readonly resume?: string | true;
}

function toResume({ continue: latest, resume }: ResumeFlags): Resume | undefined {
  if (resume === true) return { kind: "choose" };
  if (resume !== undefined) return { kind: "id", id: resume };
  return latest === true ? { kind: "latest" } : undefined;
}

/** What went wrong, for a person; the stack only when it is our fault. */
function explain(error: unknown): string {
  if (!IkigaiError.is(error)) return (error as Error).stack ?? messageOf(error);
  return withHint(error.message, error.hint);
}

function readVersion(): string {
  const manifest = new URL("../package.json", import.meta.url);
  return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
}
