import { setImmediate as pause } from "node:timers/promises";
import { createNameRanking } from "./rank-names.ts";

/** Names that are gathered in the background and searched by a few of their letters. */
export interface NameFinder {
  /** How many there are by now. */
  readonly size: number;
  /** Contract: the best first, at most `limit`; `undefined` when a later search made it pointless. Never blocks for long. */
  find(query: string, limit: number): Promise<readonly string[] | undefined>;
  /** Resolves when all names are there. */
  readonly ready: Promise<void>;
}

const BUSY_MS = 8;
const MOST = 200_000;

/** Contract: reads `names` once, in the background, and pauses often, so that typing goes on. */
export function createNameFinder(names: () => AsyncIterable<string>, onGrow: () => void = () => {}): NameFinder {
  const all: string[] = [];
  let search = 0;
  const loaded = import("fuzzysort").then((fuzzysort) => createNameRanking(fuzzysort));

  async function gather(): Promise<void> {
    const ranking = await loaded;
    let since = performance.now();
    for await (const name of names()) {
      if (all.length >= MOST) break;
      all.push(name);
      ranking.add(name);
      if (performance.now() - since < BUSY_MS) continue;
      onGrow();
      await pause();
      since = performance.now();
    }
    onGrow();
    await finish(ranking.prepare(), () => true);
  }
  const ready = gather().catch(() => {});

  return {
    get size() {
      return all.length;
    },
    ready,
    async find(query, limit) {
      const mine = ++search;
      const ranking = await loaded;
      if (query.trim() === "") return all.slice(0, limit);
      return finish(ranking.rank(query, limit), () => mine === search);
    },
  };
}

/** Does all the work, with pauses. Contract: `undefined` when it is not wanted any more after one of them. */
async function finish<T>(work: Generator<void, T, void>, isWanted: () => boolean): Promise<T | undefined> {
  let since = performance.now();
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    if (performance.now() - since < BUSY_MS) continue;
    await pause();
    if (!isWanted()) return undefined;
    since = performance.now();
  }
}
