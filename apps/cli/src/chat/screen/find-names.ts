import type { Prepared } from "fuzzysort";
import { setImmediate as pause } from "node:timers/promises";

/** Names that are gathered in the background and searched by a few of their letters. */
export interface NameFinder {
  /** How many there are by now. */
  readonly size: number;
  /** Contract: the best first, at most `limit`; `undefined` when a later search made it pointless. Never blocks for long. */
  find(query: string, limit: number): Promise<readonly string[] | undefined>;
  /** Resolves when all names are there. */
  readonly ready: Promise<void>;
}

const SLICE = 1_000;
const BUSY_MS = 8;
const MOST = 200_000;

/** Contract: reads `names` once, in the background, and pauses often, so that typing goes on. */
export function createNameFinder(names: () => AsyncIterable<string>, onGrow: () => void = () => {}): NameFinder {
  const all: string[] = [];
  const prepared: Prepared[] = [];
  let search = 0;
  const loaded = import("fuzzysort");

  async function gather(): Promise<void> {
    const { prepare } = await loaded;
    let since = performance.now();
    for await (const name of names()) {
      if (all.length >= MOST) break;
      all.push(name);
      prepared.push(prepare(name));
      if (performance.now() - since < BUSY_MS) continue;
      onGrow();
      await pause();
      since = performance.now();
    }
    onGrow();
  }
  const ready = gather().catch(() => {});

  return {
    get size() {
      return all.length;
    },
    ready,
    async find(query, limit) {
      const mine = ++search;
      const { go } = await loaded;
      if (query === "") return all.slice(0, limit);
      let best: { target: string; score: number }[] = [];
      let since = performance.now();
      for (let at = 0; at < prepared.length; at += SLICE) {
        const found = go(query, prepared.slice(at, at + SLICE), { limit, threshold: 0 });
        best = [...best, ...found.map(({ target, score }) => ({ target, score }))]
          .toSorted((a, b) => b.score - a.score || a.target.length - b.target.length)
          .slice(0, limit);
        if (performance.now() - since < BUSY_MS) continue;
        await pause();
        if (mine !== search) return undefined;
        since = performance.now();
      }
      return best.map(({ target }) => target);
    },
  };
}
