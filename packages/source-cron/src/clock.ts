/** Where the time comes from. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Contract: resolves, never rejects, after about `ms` or when `signal` aborts; it may be early. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** A machine may sleep and its clock may be set, so a long wait looks at the time in between. */
const LONGEST_WAIT_MS = 60_000;

export const systemClock: Clock = {
  now: () => Date.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(Math.max(ms, 0), LONGEST_WAIT_MS));
      signal.addEventListener("abort", done, { once: true });
    }),
};
