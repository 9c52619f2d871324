import type { AskReconcile } from "@ikigai/memory";
import { askAbout } from "./ask-about.ts";
import type { Terminal } from "./terminal.ts";

const ANSWERS: Readonly<Record<string, "merge" | "disk_wins" | "agent_wins">> = {
  m: "merge",
  t: "disk_wins",
  k: "agent_wins",
};

const KEYS = { m: "merge both", t: "take the file", k: "keep the block", n: "not now" };

/** Asks what becomes of a block whose file changed too. Contract: no answer, and not now, leave both as they are. */
export function askHowToReconcile(terminal: Terminal): AskReconcile {
  return async ({ label, uri, diff }) => {
    const question = {
      heading: "A file changed, and so did its block:",
      lines: [uri, `block ${label}`],
      change: diff.split("\n"),
    };
    const key = await askAbout(terminal, question, { question: "What becomes of them?", keys: KEYS });
    return key === undefined ? undefined : ANSWERS[key];
  };
}
