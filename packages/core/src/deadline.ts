import { IkigaiError } from "./errors.ts";

/** A time limit on work that may ignore it. */
export interface Deadline extends Disposable {
  /** Aborts when the time is up or the caller gave up. */
  readonly signal: AbortSignal;
  /** Settles with `work`, or rejects with `timeout` or `aborted` when that comes first. */
  race<T>(work: Promise<T>): Promise<T>;
  /** Stops the clock while `wait` lasts: the time a person takes to answer is not the tool's. */
  suspend<T>(wait: Promise<T>): Promise<T>;
}

/** Contract: dispose it, or its timer keeps the process alive. */
export function createDeadline(what: string, ms: number, caller: AbortSignal): Deadline {
  const controller = new AbortController();
  let reject: (error: IkigaiError) => void;
  const cancelled = new Promise<never>((_, refuse) => (reject = refuse));
  cancelled.catch(() => {});
  const stop = (error: IkigaiError): void => {
    reject(error);
    controller.abort(error);
  };
  const onAbort = (): void => stop(aborted(what));
  const onTime = (): void =>
    stop(
      new IkigaiError("timeout", `${what} did not finish within ${ms} ms`, { hint: "Try a smaller piece of work." }),
    );
  let left = ms;
  let since = performance.now();
  let timer = setTimeout(onTime, left);
  if (caller.aborted) onAbort();
  else caller.addEventListener("abort", onAbort, { once: true });

  return {
    signal: controller.signal,
    race: (work) => Promise.race([work, cancelled]),
    async suspend(wait) {
      clearTimeout(timer);
      left -= performance.now() - since;
      try {
        return await wait;
      } finally {
        since = performance.now();
        timer = setTimeout(onTime, left);
      }
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      caller.removeEventListener("abort", onAbort);
    },
  };
}

export function aborted(what: string): IkigaiError {
  return new IkigaiError("aborted", `${what} was cancelled`);
}
