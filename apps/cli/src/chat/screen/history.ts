/** What was typed before, to go back to. */
export interface InputHistory {
  add(text: string): void;
  /** Contract: keeps `draft` for the way back; `undefined` at either end. */
  older(draft: string): string | undefined;
  newer(): string | undefined;
}

const MOST = 1_000;

export function createInputHistory(initial: readonly string[] = []): InputHistory {
  const entries = [...initial];
  let at = entries.length;
  let draft = "";
  return {
    add(text) {
      if (entries.at(-1) !== text) entries.push(text);
      if (entries.length > MOST) entries.shift();
      at = entries.length;
    },
    older(present) {
      if (at === 0) return undefined;
      if (at === entries.length) draft = present;
      return entries[--at];
    },
    newer() {
      if (at >= entries.length) return undefined;
      at++;
      return at === entries.length ? draft : entries[at];
    },
  };
}
