import { readFileSync } from "node:fs";
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { World } from "./world.ts";

/** A program that was started, by the tracer's word. */
export interface Execution {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly program: string;
  readonly args: string;
}

/** The time of a call of `bash`, and how it came to be permitted. */
export interface ShellWindow {
  readonly from: number;
  readonly until: number;
  readonly by: "person or mode" | "grant";
}

const REPOSITORY = realpathSync(fileURLToPath(new URL("../..", import.meta.url)));
const STARTED = /^\d+ +(\d+\.\d+) execve\("((?:[^"\\]|\\.)*)", \[(.*?)\](?:\.\.\.)?, .*\) += 0$/;

/** Contract: programs that could not be started are left out. */
export function readExecutions(log: string): Execution[] {
  return readFileSync(log, "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, at, program, args] = STARTED.exec(line) ?? [];
      return at === undefined || program === undefined ? [] : [{ at: Number(at) * 1000, program, args: args ?? "" }];
    });
}

/** Helpers of the system that the product starts by itself. */
const HELPERS = /^\/(usr\/)?(local\/)?s?bin\/(git|mkfifo|ps|setsid|getconf)$/;
/** A shell that only marks the process and turns into the program behind it, which is traced as another start. */
const MARKER = String.raw`"-c", "ulimit -w \"$0\" 2>/dev/null || ulimit -x \"$0\" 2>/dev/null; unset PWD OLDPWD SHLVL; exec \"$@\"", "`;
const SHELLS = /^\/(usr\/)?bin\/(ba|da)?sh$/;

/** Why a program should not have been started. Contract: absent when it is in order. */
export function whyNotExecuted(
  world: World,
  { at, program, args }: Execution,
  windows: readonly ShellWindow[],
): string | undefined {
  const shown = `${program} [${args.slice(0, 200)}]`;
  const window = windows.find(({ from, until }) => at >= from - 1 && at <= until + 1_000);
  if (window?.by === "person or mode") return undefined;
  if (!program.startsWith("/")) return `${shown} was looked up in the folder it ran in`;
  if (isUsersOwn(world, program)) return undefined;
  if (program.startsWith(`${world.base}/`)) return `${shown} is a program of the workspace`;
  if (program === process.execPath || program.startsWith(`${REPOSITORY}/`) || HELPERS.test(program)) return undefined;
  if (SHELLS.test(program) && args.replace(/^"[^"]*", /, "").startsWith(MARKER)) return undefined;
  if (windows.length > 0 && !SHELLS.test(program)) return undefined;
  if (window !== undefined) return undefined;
  // The user's own hook is a script, which its interpreter runs.
  return world.plan.userNames.hook && SHELLS.test(program) && args.includes("hook.sh")
    ? undefined
    : `${shown} was started, and no command was approved`;
}

function isUsersOwn({ config, plan }: World, program: string): boolean {
  return plan.userNames.hook && program === `${config}/hook.sh`;
}
