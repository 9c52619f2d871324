import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { IkigaiError } from "@ikigai/core";
import { findProgram, gitEnvironment, HARMLESS_GIT } from "@ikigai/core/process";
import { quoteWord } from "./command-addresses.ts";
import { KNOWN_PROGRAMS } from "./command-programs.ts";
import { commandOpinion } from "./command-rules.ts";
import { parseCommand } from "./parse-command.ts";

export interface HarmlessCommandOptions {
  /** The workspace, as a real path. */
  readonly root: string;
  readonly cwd: string;
  /** The environment that the command would get. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface HarmlessCommand {
  readonly command: string;
  /** Variables to set besides. */
  readonly environment: Readonly<Record<string, string>>;
}

const run = promisify(execFile);
const LIST_MS = 5_000;

/** Commands that the shell itself carries out, without a program. */
const BUILT_IN: ReadonlySet<string> = new Set(["echo", "printf", "true", "false", "pwd"]);

/** Options that switch off what no setting does, by subcommand. */
const GIT_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  status: ["--ignore-submodules=all"],
  diff: ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"],
  log: ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"],
  show: ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"],
  blame: ["--no-textconv"],
  grep: ["--no-textconv"],
};

/**
 * A command that only looks, as it runs: its program by an absolute path outside the workspace, and git with everything
 * switched off by which the configuration of a repository names programs.
 *
 * Contract: only for commands that a built-in rule may allow unasked; every other is given back as it is. Throws
 * `unavailable` when the program lies inside the workspace only.
 */
export async function harmlessCommand(command: string, options: HarmlessCommandOptions): Promise<HarmlessCommand> {
  const parsed = parseCommand(command);
  const [program = "", ...rest] = parsed.understood ? parsed.words : [];
  const isKnown = KNOWN_PROGRAMS.has(program) && !BUILT_IN.has(program);
  if (!isKnown || commandOpinion([program], command).decision !== "allow") return { command, environment: {} };
  const file = findProgram(program, { path: options.environment["PATH"] ?? "", outside: [options.root] });
  if (file === undefined) {
    throw new IkigaiError("unavailable", `There is no program ${program} outside the workspace`, {
      hint: "Install it, or name the program of the workspace by its path.",
    });
  }
  if (program !== "git") return { command: [file, ...rest].map(quoteWord).join(" "), environment: {} };
  const [subcommand = "", ...args] = rest;
  const words = [file, subcommand, ...(GIT_OPTIONS[subcommand] ?? []), ...args];
  return {
    command: words.map(quoteWord).join(" "),
    environment: gitEnvironment({ ...HARMLESS_GIT, ...(await noFilters(file, options)) }),
  };
}

/** Filters that the repository itself brings run when git compares a file; those of the user's own configuration stay. */
async function noFilters(git: string, { cwd, environment }: HarmlessCommandOptions): Promise<Record<string, string>> {
  const args = ["config", "--null", "--show-scope", "--name-only", "--get-regexp", "^filter\\."];
  const env = { ...environment, ...gitEnvironment() };
  // `git config` fails where there is no repository, and where there is no filter.
  const { stdout } = await run(git, args, { cwd, env, timeout: LIST_MS }).catch(() => ({ stdout: "" }));
  const fields = stdout.split("\0");
  const drivers = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [scope, name = ""] = fields.slice(at, at + 2);
    if (scope === "local" || scope === "worktree") drivers.add(name.slice(0, name.lastIndexOf(".")));
  }
  return Object.fromEntries(
    [...drivers].flatMap((driver) => [
      [`${driver}.clean`, ""],
      [`${driver}.smudge`, ""],
      [`${driver}.process`, ""],
      [`${driver}.required`, "false"],
    ]),
  );
}
