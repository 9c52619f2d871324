/** What was typed before, to go back to. */
export interface InputHistory {
  add(text: string): void;
  /** Contract: keeps `draft` for the way back; `undefined` at either end. */
  older(draft: string): string | undefined;
  newer(): string | undefined;
  /** Puts what is known from earlier sessions before everything. */
  prepend(texts: readonly string[]): void;
  /**
   * The newest entry that holds `query` and is older than `before`, and its place.
   *
   * Contract: the same text is found once; `undefined` when there is none.
   */
  search(query: string, before?: number): { readonly text: string; readonly place: number } | undefined;
}

const MOST = 1_000;

/** Contract: keeps the newest 1,000 entries; `readable` gives what of an entry is searched. */
export function createInputHistory(
  initial: readonly string[] = [],
  readable: (entry: string) => string = (entry) => entry,
): InputHistory {
  const entries = [...initial];
  let at = entries.length;
  let draft = "";
  const bound = (): void => {
    const surplus = entries.length - MOST;
    if (surplus <= 0) return;
    entries.splice(0, surplus);
    at = Math.max(0, at - surplus);
  };
  return {
    add(text) {
      if (entries.at(-1) !== text) entries.push(text);
      bound();
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
    prepend(texts) {
      entries.unshift(...texts);
      at += texts.length;
      bound();
    },
    search(query, before = entries.length) {
      const wanted = query.toLowerCase();
      const last = entries[before];
      for (let place = before - 1; place >= 0; place--) {
        const text = entries[place] as string;
        if (text !== last && readable(text).toLowerCase().includes(wanted)) return { text, place };
      }
      return undefined;
    },
  };
}
