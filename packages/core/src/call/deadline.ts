import { IkigaiError } from "../errors.ts";

/** A time limit on work that may ignore it. */
export interface Deadline extends Disposable {
  /** Aborts when the time is up or the caller gave up. Made when it is first asked for: most work never looks. */
  readonly signal: AbortSignal;
  /** Contract: throws `timeout` or `aborted` when it is over. */
  check(): void;
  /** Settles with `work`, or rejects with `timeout` or `aborted` when that comes first. What is no promise is at hand. */
  race<T>(work: T | Promise<T>): T | Promise<T>;
  /** Stops the clock while `wait` lasts: the time a person takes to answer is not the tool's. */
  suspend<T>(wait: Promise<T>): Promise<T>;
}

/** What setTimeout can wait at most; anything longer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Contract: dispose it, or its timer keeps the process alive. */
export function createDeadline(what: string, ms: number, caller?: AbortSignal): Deadline {
  let controller: AbortController | undefined;
  let stopped: IkigaiError | undefined;
  let reject: (error: IkigaiError) => void;
  const cancelled = new Promise<never>((_, refuse) => (reject = refuse));
  cancelled.catch(() => {});
  const stop = (error: IkigaiError): void => {
    stopped = error;
    reject(error);
    controller?.abort(error);
  };
  const onAbort = (): void => stop(aborted(what));
  const onTime = (): void =>
    stop(
      new IkigaiError("timeout", `${what} did not finish within ${ms} ms`, { hint: "Try a smaller piece of work." }),
    );
  let left = ms;
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  let suspended = 0;
  let over = false;
  const run = (): void => {
    since = performance.now();
    timer = setTimeout(onTime, Math.min(left, LONGEST_TIMER_MS));
  };
  run();
  if (caller?.aborted === true) onAbort();
  else caller?.addEventListener("abort", onAbort, { once: true });

  return {
    get signal() {
      if (controller === undefined) {
        controller = new AbortController();
        if (stopped !== undefined) controller.abort(stopped);
      }
      return controller.signal;
    },
    check() {
      if (stopped !== undefined) throw stopped;
    },
    race: (work) => (isPromise(work) ? Promise.race([work, cancelled]) : work),
    async suspend(wait) {
      if (suspended++ === 0) {
        clearTimeout(timer);
        left -= performance.now() - since;
      }
      try {
        return await wait;
      } finally {
        if (--suspended === 0 && !over) run();
      }
    },
    [Symbol.dispose]() {
      over = true;
      clearTimeout(timer);
      caller?.removeEventListener("abort", onAbort);
    },
  };
}

function isPromise<T>(work: T | Promise<T>): work is Promise<T> {
  return typeof (work as { readonly then?: unknown } | undefined | null)?.then === "function";
}

export function aborted(what: string): IkigaiError {
  return new IkigaiError("aborted", `${what} was cancelled`);
}
