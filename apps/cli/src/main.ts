import { readVersion } from "./program-version.ts";
import type { Terminal } from "./terminal/terminal.ts";

const VERSION = /^(-v|--version)$/;
const HELP = /^(-h|--help|help)$/;

/** For text that is ours alone: nothing in it needs to be escaped. */
const OWN_TEXT: Pick<Terminal, "print" | "complain"> = {
  print: (text) => void process.stdout.write(`${text}\n`),
  complain: (text) => void process.stderr.write(`${text}\n`),
};

/**
 * Runs the command line. Contract: resolves to the exit code; 0 success, 1 a call failed, 2 misuse. For the version nothing
 * is loaded, for help no command.
 */
export async function main(args: readonly string[], openTerminal?: (quiet: boolean) => Terminal): Promise<number> {
  const [first = ""] = args;
  if (VERSION.test(first)) {
    if (openTerminal === undefined) process.stdout.write(`${readVersion()}\n`);
    else openTerminal(false).print(readVersion());
    return 0;
  }
  if (HELP.test(first) && args.length === 1) {
    (await import("./print-help.ts")).printHelp(openTerminal?.(false) ?? OWN_TEXT);
    return 0;
  }
  const open = openTerminal ?? (await import("./terminal/terminal.ts")).createTerminal;
  const { runCommandLine } = await import("./run-command-line.ts");
  return runCommandLine(args, open);
}
