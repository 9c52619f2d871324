import { readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { IkigaiError } from "@ikigai/core";
import { systemProgram } from "@ikigai/core/process";
import { thisMachine } from "../keeper/machine.ts";
import type { Holder } from "../keeper/store-lock.ts";

/** How long a keeper may be stopped before whoever waits for it is told. */
const STOPPED_MS = 2_000;
const LOOK_EVERY_MS = 500;

/** Whether a keeper was stopped by a signal, so that it answers nobody and still has its store. */
export function isStopped({ pid, boot, processSpace }: Holder): boolean {
  const here = thisMachine();
  if (boot !== here.boot || processSpace !== here.processSpace) return false;
  return stateOf(pid).startsWith("T");
}

/** Contract: never takes the store from it: it may go on at any moment. */
export function keeperStopped(store: string, { pid, since }: Holder): IkigaiError {
  return new IkigaiError("unavailable", `The keeper of the store ${store}, process ${pid}, is stopped`, {
    hint: `Let it go on with: kill -CONT ${pid}. Or end it with: kill -KILL ${pid}, which loses nothing that was acknowledged.`,
    details: { pid, since },
  });
}

/**
 * Does `work` that needs the keeper to answer.
 *
 * Contract: rejects with `unavailable` naming the process within seconds after the keeper was stopped; then `undo` gets
 * what the work gives later.
 */
export async function whileRunning<T>(
  store: string,
  holder: Holder,
  work: () => Promise<T>,
  undo: (late: T) => void,
): Promise<T> {
  const done = new AbortController();
  const working = work().finally(() => done.abort());
  const watching = untilStopped(holder, done.signal);
  const stopped = await Promise.race([working.then(() => false), watching]);
  if (!stopped) return working;
  working.then(undo, () => {});
  throw keeperStopped(store, holder);
}

/** Calls back once the keeper has been stopped for a while. Gives what ends the watch. */
export function watchStopped(holder: Holder, onStopped: () => void): () => void {
  const done = new AbortController();
  void untilStopped(holder, done.signal).then((stopped) => {
    if (stopped) onStopped();
  });
  return () => done.abort();
}

/** Contract: true once the keeper has been stopped for a while; false when `signal` aborts. Keeps no process alive. */
async function untilStopped(holder: Holder, signal: AbortSignal): Promise<boolean> {
  for (let stoppedMs = 0; stoppedMs < STOPPED_MS;) {
    const waited = await delay(LOOK_EVERY_MS, true, { signal, ref: false }).catch(() => false);
    if (!waited) return false;
    stoppedMs = isStopped(holder) ? stoppedMs + LOOK_EVERY_MS : 0;
  }
  return true;
}

/** The letter that the system has for the state of a process; empty when there is none. */
function stateOf(pid: number): string {
  try {
    if (process.platform !== "linux")
      return execFileSync(systemProgram("ps"), ["-o", "state=", "-p", String(pid)], {
        encoding: "utf8",
        env: { LC_ALL: "C" },
      }).trim();
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2);
  } catch {
    return "";
  }
}
