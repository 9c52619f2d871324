import { IkigaiError, messageOf } from "@ikigai/core";
import { withHint } from "@ikigai/core/host";
import { type Command, CommanderError } from "commander";
import { type Surroundings, type TaskFlags, toResume, type WithSession } from "./command-line.ts";
import { COMMAND_GROUPS, type CommandGroup } from "./commands/all.ts";
import { addSummaries, createProgram, nameOf } from "./program.ts";
import { type GlobalFlags, resolveSettings, type Settings } from "./settings.ts";
import type { Terminal } from "./terminal/terminal.ts";

const MISUSE = 2;
/** What goes wrong although the command is right. */
const FAILURES: readonly string[] = ["unavailable", "timeout", "conflict", "over_budget", "aborted"];
/** The commands that know what to do with a conversation to go on with. */
const TAKES_TASK: readonly string[] = ["run"];

type Flags = GlobalFlags & TaskFlags;

/** Runs one command, a task or a conversation. Contract: resolves to the exit code; loads the command that is meant only. */
export async function runCommandLine(
  given: readonly string[],
  openTerminal: (quiet: boolean) => Terminal,
): Promise<number> {
  let exitCode = 0;
  const plain = openTerminal(false);
  const args = withHelpFlag(given);
  const program = createProgram(plain);
  const withSession: WithSession =
    (use) =>
    async (...typed) => {
      const settings = resolveSettings(program.opts<GlobalFlags>());
      const terminal = openTerminal(settings.quiet);
      // Loaded when it is needed, so that help, errors and the first prompt do not wait for it.
      const { openTerminalHost } = await import("./terminal/terminal-host.ts");
      const host = await openTerminalHost(settings, terminal);
      try {
        exitCode = (await use({ host, settings, terminal }, ...typed)) ?? 0;
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
    const meant = commandMeant(args);
    if (given[0] === "help" && given[1] !== undefined && meant === undefined) throw noCommand(given[1], "");
    if (meant !== undefined) {
      (await meant.group.load())(program, withSession, surroundings);
      program.hook("preAction", () => assertFlagsFit(meant.name, program.opts<Flags>()));
    } else {
      // Only for help: a word of a task must not pass for a command.
      if (args.some((arg) => /^(-h|--help)$/.test(arg))) addSummaries(program, COMMAND_GROUPS);
      program.allowExcessArguments().action(async () => {
        exitCode = await begin(program, program.args, openTerminal);
      });
    }
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSE;
    openTerminal(false).complain(explain(error));
    return MISUSE;
  }
}

/** A conversation where a person is at both ends, else the task, else the overview. */
async function begin(
  program: Command,
  words: readonly string[],
  openTerminal: (quiet: boolean) => Terminal,
): Promise<number> {
  const flags = program.opts<Flags>();
  assertOneConversation(flags);
  const settings = resolveSettings(flags);
  const terminal = openTerminal(settings.quiet);
  if (isCommandWord(words, flags)) {
    const { runPartCommand } = await import("./commands/part-command.ts");
    const code = await runPartCommand(settings, terminal, words);
    if (code !== undefined) return code;
  }
  const task = taskOf(words, flags);
  const resume = toResume(flags);
  if (terminal.conversational === true && flags.print === undefined && !settings.json) {
    const { startTerminal } = await import("./screen/start-terminal.ts");
    return startTerminal(settings, terminal, {
      run: (args) => runCommandLine([...placeOf(flags), ...args], openTerminal),
      ...(resume && { resume }),
      ...(task !== undefined && { task }),
    });
  }
  if (task !== undefined || flags.print !== undefined || (resume !== undefined && terminal.piped === true)) {
    const { runTask } = await import("./screen/run-task.ts");
    return runTask(settings, terminal, { ...(task !== undefined && { task }), ...(resume && { resume }) });
  }
  if (resume !== undefined) {
    throw new IkigaiError("invalid_input", "A conversation needs a terminal for input and output", {
      hint: 'Give a task instead: ikigai run --continue "TASK".',
    });
  }
  return overviewOrInput(settings, terminal);
}

/** The flags that make another command work in the same place. */
function placeOf({ store, agent }: GlobalFlags): string[] {
  return [...(store === undefined ? [] : ["--store", store]), ...(agent === undefined ? [] : ["--agent", agent])];
}

/** What is piped into the program without a task is the task. Contract: an input that stays silent is not waited for. */
async function overviewOrInput(settings: Settings, terminal: Terminal): Promise<number> {
  const stop = new AbortController();
  const input = terminal.piped === true ? terminal.readInput(stop.signal).catch(() => "") : undefined;
  const [{ openTerminalHost }, { showOverview }] = await Promise.all([
    import("./terminal/terminal-host.ts"),
    import("./commands/overview.ts"),
  ]);
  const host = await openTerminalHost(settings, terminal);
  try {
    const task = await Promise.race([input, Promise.resolve(undefined)]);
    if (task === undefined || task.trim() === "") {
      await showOverview({ host, settings, terminal });
      if (input !== undefined && task === undefined)
        terminal.note("Nothing came on standard input yet. To wait for a task there, write: … | ikigai -p");
      return 0;
    }
    await host.close();
    const { runTask } = await import("./screen/run-task.ts");
    return await runTask(settings, { ...terminal, piped: false }, { task: task.trim() });
  } finally {
    stop.abort();
    await host.close();
  }
}

/** Whether the first word can only be a command: a task is written in quotes, or after a flag. */
function isCommandWord([first]: readonly string[], { print }: TaskFlags): boolean {
  return first !== undefined && print === undefined && !/\s/.test(first.trim());
}

/** The words of the task. Contract: absent when there are none; `invalid_input` for a single word that is no command. */
function taskOf(words: readonly string[], flags: TaskFlags): string | undefined {
  const { print } = flags;
  const all = typeof print === "string" ? [print, ...words] : words;
  const [first] = all;
  if (first === undefined) return undefined;
  if (!isCommandWord(words, flags)) return all.join(" ");
  throw noCommand(first, ` To give the agent a task, write it in quotes, or: ikigai -p ${quoted(all.join(" "))}`);
}

function noCommand(word: string, more: string): IkigaiError {
  const near = names().filter((name) => name.startsWith(word.slice(0, 2).toLowerCase()));
  const meant = near.length === 0 ? "See ikigai --help." : `Did you mean ${near.join(", ")}?`;
  return new IkigaiError("invalid_input", `There is no command ${JSON.stringify(word)}`, { hint: `${meant}${more}` });
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Contract: `invalid_input` for a flag that the command would otherwise pass over in silence. */
function assertFlagsFit(command: string, flags: Flags): void {
  assertOneConversation(flags);
  if (TAKES_TASK.includes(command)) return;
  const [flag] = [
    ...(flags.print === undefined ? [] : ["--print"]),
    ...(flags.continue === undefined ? [] : ["--continue"]),
    ...(flags.resume === undefined ? [] : ["--resume"]),
  ];
  if (flag === undefined) return;
  throw new IkigaiError("invalid_input", `${flag} does not go with the command ${command}`, {
    hint: `It is for a conversation (ikigai ${flag}) and for ikigai run.`,
  });
}

function assertOneConversation({ continue: latest, resume }: TaskFlags): void {
  if (latest === undefined || resume === undefined) return;
  throw new IkigaiError("invalid_input", "--continue and --resume name two conversations", {
    hint: "Give one of them.",
  });
}

/** The command that is named, and the group that brings it. Contract: absent also when the global flags are wrong. */
function commandMeant(args: readonly string[]): { name: string; group: CommandGroup } | undefined {
  const program = createProgram({ print: () => {}, complain: () => {} });
  let name: string | undefined;
  try {
    [name] = program.parseOptions([...args]).operands;
  } catch {
    return undefined; // The program itself will say what is wrong.
  }
  if (name === undefined || typeof program.opts<TaskFlags>().print === "string") return undefined;
  const group = COMMAND_GROUPS.find(({ commands }) => commands.some(([usage]) => nameOf(usage) === name));
  return group && { name, group };
}

function names(): string[] {
  return COMMAND_GROUPS.flatMap(({ commands }) => commands.map(([usage]) => nameOf(usage)));
}

/** `help` is `--help`, and `help run` is `run --help`. */
function withHelpFlag(args: readonly string[]): readonly string[] {
  return args[0] === "help" ? [...args.slice(1), "--help"] : args;
}

/** What went wrong, for a person; the stack only when it is our fault. */
function explain(error: unknown): string {
  if (!IkigaiError.is(error)) return (error as Error).stack ?? messageOf(error);
  return withHint(error.message, error.hint);
}
