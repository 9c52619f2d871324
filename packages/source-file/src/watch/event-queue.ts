/** What one side pushes and the other iterates over. */
export interface EventQueue<Value> {
  push(value: Value): void;
  /** Ends the iteration with an error, after what was pushed before. */
  fail(error: unknown): void;
  readonly values: AsyncIterable<Value>;
}

/**
 * Contract: once `signal` aborts the iteration ends without throwing, and what was not taken yet is dropped. `onEnd`
 * runs once, when the iteration is over for whatever reason.
 */
export function createEventQueue<Value>(signal: AbortSignal, onEnd: () => Promise<void> | void): EventQueue<Value> {
  const waiting: Value[] = [];
  let failure: { readonly error: unknown } | undefined;
  let wake = (): void => {};

  async function* iterate(): AsyncGenerator<Value> {
    const onAbort = (): void => wake();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      while (!signal.aborted) {
        if (waiting.length > 0) yield waiting.shift() as Value;
        else if (failure === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else throw failure.error;
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
      await onEnd();
    }
  }

  return {
    push(value) {
      waiting.push(value);
      wake();
    },
    fail(error) {
      failure = { error };
      wake();
    },
    values: iterate(),
  };
}
