import type { Terminal } from "./terminal.ts";

/** How far something is. */
export interface Progress {
  /** Contract: cheap enough to be called for every step. */
  at(done: number, total: number, told?: string): void;
  /** Takes the bar away. */
  end(): void;
}

const WIDTH = 24;
const STEPS = 10;

/**
 * Shows how far a long command is: a bar where somebody watches, else a line for every tenth.
 *
 * Contract: standard error only; nothing with `--quiet`.
 */
export function showProgress({ live, note }: Pick<Terminal, "live" | "note">, what: string): Progress {
  let noted = 0;
  return {
    at(done, total, told = "") {
      const share = total <= 0 ? 1 : Math.min(1, done / total);
      const text = `${what} ${Math.floor(100 * share)} % (${done} of ${total})${told === "" ? "" : `, ${told}`}`;
      const full = Math.round(WIDTH * share);
      if (live !== undefined) return live(`${"█".repeat(full)}${"░".repeat(WIDTH - full)} ${text}`);
      const step = Math.floor(STEPS * share);
      if (step <= noted) return;
      noted = step;
      note(text);
    },
    end: () => live?.(),
  };
}
