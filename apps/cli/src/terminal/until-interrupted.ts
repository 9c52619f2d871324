import { IkigaiError } from "@ikigai/core";

/** Runs long work that Ctrl-C stops. Contract: `aborted` then, once the work has let go. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const onSignal = (): void => stop.abort(new IkigaiError("aborted", "It was interrupted"));
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, onSignal);
  try {
    return await work(stop.signal);
  } finally {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.off(name, onSignal);
  }
}
