/** What was cut, to be put back. */
export interface KillRing {
  /** Keeps what was cut before or after the cursor. Contract: cuts that follow each other become one. */
  cut(text: string, side: "before" | "after"): void;
  /** Any other key was pressed: the next cut is one of its own. */
  rest(): void;
  /** Contract: `undefined` when nothing was cut. */
  newest(): string | undefined;
  /** The cut before the one that was put back last, round and round. Contract: `undefined` when nothing was put back just now. */
  older(): string | undefined;
}

const MOST = 20;

export function createKillRing(): KillRing {
  const cuts: string[] = [];
  let isCutting = false;
  let at: number | undefined;
  return {
    cut(text, side) {
      at = undefined;
      if (text === "") return;
      const last = isCutting ? cuts.pop() : undefined;
      cuts.push(last === undefined ? text : side === "before" ? text + last : last + text);
      if (cuts.length > MOST) cuts.shift();
      isCutting = true;
    },
    rest() {
      isCutting = false;
      at = undefined;
    },
    newest() {
      isCutting = false;
      if (cuts.length === 0) return undefined;
      at = cuts.length - 1;
      return cuts[at];
    },
    older() {
      if (at === undefined) return undefined;
      at = (at + cuts.length - 1) % cuts.length;
      return cuts[at];
    },
  };
}
