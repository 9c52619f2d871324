import { COMMAND_GROUPS } from "./commands/all.ts";
import { addSummaries, createProgram } from "./program.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** Prints what the program takes. Contract: loads no command. */
export function printHelp(terminal: Pick<Terminal, "print" | "complain">): void {
  const program = createProgram(terminal);
  addSummaries(program, COMMAND_GROUPS);
  program.outputHelp();
}
