import { setTimeout as delay } from "node:timers/promises";
import type { Key } from "./read-keys.ts";

export interface KeyHoldOptions {
  /** Ends when there are names for what is typed now. Absent: they are there. */
  searching(): Promise<void> | undefined;
  /** Whether a key takes a name that was found. */
  takesName(key: Key): boolean;
  obey(key: Key): void;
}

export interface KeyHold {
  press(key: Key): void;
  /** Forgets the keys that wait. */
  drop(): void;
}

/** A key that takes a name is obeyed without one after this long. */
const LONGEST_SEARCH_MS = 1_000;

/**
 * Lets a key that takes a name wait for the names of what was typed before it, and the keys behind it for their turn.
 *
 * Contract: every key is obeyed once and in order, unless it is dropped; none waits longer than a second.
 */
export function createKeyHold({ searching, takesName, obey }: KeyHoldOptions): KeyHold {
  let waiting: Key[] | undefined;

  async function hold(key: Key, later: Key[]): Promise<void> {
    const late = delay(LONGEST_SEARCH_MS, "late" as const, { ref: false });
    // More names may come in meanwhile, and then it is searched again.
    for (let search = searching(); search !== undefined; search = searching()) {
      const isLate = (await Promise.race([search, late])) === "late";
      // Somebody stopped it meanwhile.
      if (waiting !== later) return;
      if (isLate) break;
    }
    waiting = undefined;
    obey(key);
    for (const next of later) press(next);
  }

  function press(key: Key): void {
    if (waiting !== undefined) return void waiting.push(key);
    if (!takesName(key) || searching() === undefined) return obey(key);
    waiting = [];
    void hold(key, waiting);
  }

  return { press, drop: () => void (waiting = undefined) };
}
