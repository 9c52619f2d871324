/** A call that is under way until it is disposed of. */
export interface RunningCall extends Disposable {
  /** Aborts when its caller does, and when the calls are ended. */
  readonly signal: AbortSignal;
}

/** The calls of a registry that are under way. */
export interface RunningCalls {
  /** Contract: `undefined` once the calls are ended. */
  begin(signal: AbortSignal | undefined): RunningCall | undefined;
  /**
   * Ends the calls that are under way; none begins after that.
   *
   * Contract: those that end by themselves within `mayFinishMs` are let; the others are aborted, also those that wait for
   * a person. Resolves when all have ended.
   */
  end(mayFinishMs: number): Promise<void>;
}

export function createRunningCalls(): RunningCalls {
  const running = new Set<AbortController>();
  let ended: Promise<void> | undefined;
  let lastEnds = (): void => {};

  async function end(mayFinishMs: number): Promise<void> {
    if (running.size === 0) return;
    const all = new Promise<void>((resolve) => {
      lastEnds = resolve;
    });
    const timer = setTimeout(() => running.forEach((controller) => controller.abort()), mayFinishMs);
    await all;
    clearTimeout(timer);
  }

  return {
    begin(signal) {
      if (ended !== undefined) return undefined;
      const controller = new AbortController();
      const forward = (): void => controller.abort(signal?.reason);
      if (signal?.aborted === true) forward();
      signal?.addEventListener("abort", forward, { once: true });
      running.add(controller);
      return {
        signal: controller.signal,
        [Symbol.dispose]() {
          signal?.removeEventListener("abort", forward);
          running.delete(controller);
          if (running.size === 0) lastEnds();
        },
      };
    },
    end: (mayFinishMs) => (ended ??= end(mayFinishMs)),
  };
}
