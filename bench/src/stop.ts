const stopping = new AbortController();

/** Aborts when the user stops the run; looked at between measurements, so that everything is cleaned up. */
export const stopped: AbortSignal = stopping.signal;

/**
 * Lets the first signal end the run in order and the second at once.
 *
 * Contract: takes the place of all who listen; the library that starts servers would end the process before we are done.
 */
export function stopOnSignal(): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => {
      if (stopped.aborted) process.exit(130);
      process.stderr.write("bench: stopping …\n");
      stopping.abort(new Error("The run was stopped"));
    });
  }
}
