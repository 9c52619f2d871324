import { Worker } from "node:worker_threads";

/** What the two threads share. */
export interface WatchedWork {
  /** Second of the process's clock at which the work began, 0 while idle; and a cell that stays 0, to wait on. */
  readonly cells: Int32Array;
  readonly limitMs: number;
}

/** Ends this process when one piece of work takes too long. The engine blocks the main thread and cannot do it. */
export interface Watchdog {
  busy(busy: boolean): void;
}

export function startWatchdog(limitMs: number): Watchdog {
  const cells = new Int32Array(new SharedArrayBuffer(8));
  const workerData: WatchedWork = { cells, limitMs };
  new Worker(new URL("./watchdog-thread.js", import.meta.url), { workerData, env: {} }).unref();
  return {
    busy: (busy) => void Atomics.store(cells, 0, busy ? processSeconds() : 0),
  };
}

/** Seconds of a clock that all threads of the process share and that no one can set. */
export function processSeconds(): number {
  return Math.max(1, process.hrtime()[0]);
}
