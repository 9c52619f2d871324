import type { Approver } from "@ikigai/core";
import type { Terminal } from "./terminal.ts";

/** Asks the person at the terminal. Contract: anything but a clear yes is no. */
export function approveInTerminal(terminal: Terminal): Approver {
  return async ({ tool, operation, verdicts, preview }) => {
    const shown = await preview();
    terminal.note("\nPermission required");
    terminal.note(`  Tool:      ${tool}${operation === undefined ? "" : ` ${operation}`}`);
    for (const { effect, trace } of verdicts) {
      terminal.note(`  Action:    ${effect.action} ${effect.target} (${trace.at(-1)?.reason ?? ""})`);
    }
    if (shown !== undefined) terminal.note(`  What:      ${shown.description}`);
    if (shown?.after !== undefined) terminal.note(`  New size:  ${Buffer.byteLength(shown.after)} bytes`);
    if (shown?.warning !== undefined) terminal.note(`  Warning:   ${shown.warning}`);
    const answer = (await terminal.ask("Allow it? [y] once, [n] no: ")).trim().toLowerCase();
    if (answer === "y" || answer === "yes") return { approved: true, by: "terminal" };
    return { approved: false, by: "terminal" };
  };
}
