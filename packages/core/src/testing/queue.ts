/** Values that are pushed here and taken there. */
export interface Queue<T> {
  readonly push: (value: T) => void;
  /** Contract: ends when the signal aborts, without throwing, and calls `onEnd`, perhaps twice. */
  readonly values: AsyncIterable<T>;
}

/** Contract: keeps every value from the moment of the call, also before the first is asked for. */
export function createQueue<T>(signal: AbortSignal, onEnd: () => void): Queue<T> {
  const waiting: T[] = [];
  let wake = (): void => {};
  signal.addEventListener("abort", () => (onEnd(), wake()), { once: true });

  async function* take(): AsyncGenerator<T> {
    try {
      while (!signal.aborted) {
        if (waiting.length > 0) yield waiting.shift() as T;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      onEnd();
    }
  }

  return {
    push(value) {
      waiting.push(value);
      wake();
    },
    values: take(),
  };
}
