import type { AskReconcile } from "@ikigai/memory";
import type { Terminal } from "./terminal.ts";

const ANSWERS: Readonly<Record<string, "merge" | "disk_wins" | "agent_wins">> = {
  m: "merge",
  d: "disk_wins",
  a: "agent_wins",
};

/** Asks what becomes of a block whose file changed too. Contract: any other answer leaves both as they are. */
export function askHowToReconcile(terminal: Terminal): AskReconcile {
  return async ({ label, uri, diff }) => {
    terminal.note(`\n${uri} changed, and so did the block ${label}:\n${diff}`);
    const answer = await terminal.ask("[m] merge both, [d] take the file, [a] keep the block, anything else waits: ");
    return ANSWERS[answer.trim().toLowerCase()];
  };
}
