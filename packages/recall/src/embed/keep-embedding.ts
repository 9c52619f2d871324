import type { RecallEmbedding } from "../contract.ts";
import { embedPending, type EmbedPendingOptions } from "./embed-pending.ts";

export interface KeepEmbeddingOptions extends Pick<EmbedPendingOptions, "batch" | "onProgress" | "retries"> {
  /** Called once for several failures in a row; embedding is tried again later. Contract: must not throw. */
  readonly onFailure?: (error: unknown) => void;
  /** Milliseconds after which it looks for what other processes stored. Default 300,000. */
  readonly idleMs?: number;
  /** Milliseconds before it tries again after a failure, doubled each time up to `idleMs`. Default 15,000. */
  readonly retryMs?: number;
}

/** Embedding that goes on until it is disposed of. */
export interface KeptEmbedding extends AsyncDisposable {
  /** Says that there is something new. */
  nudge(): void;
}

const IDLE_MS = 300_000;
const RETRY_MS = 15_000;

/**
 * Gives entries their vectors in the background of a process that lives for a while.
 *
 * Contract: begins at once and keeps no process alive; disposing waits for the batch at hand, whose vectors stay.
 */
export function keepEmbedding(embedding: RecallEmbedding, options: KeepEmbeddingOptions = {}): KeptEmbedding {
  const { onFailure, idleMs = IDLE_MS, retryMs = RETRY_MS, ...pending } = options;
  const stop = new AbortController();
  let wake = (): void => {};
  let nudged = false;
  let failures = 0;

  const rest = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      timer.unref();
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
      // A failing endpoint is not asked more often because more is stored.
      if (stop.signal.aborted || (nudged && failures === 0)) wake();
    });

  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      nudged = false;
      try {
        await embedPending(embedding, { ...pending, signal: stop.signal });
        failures = 0;
      } catch (error) {
        if (stop.signal.aborted) return;
        failures += 1;
        if (failures === 1) onFailure?.(error);
      }
      await rest(failures === 0 ? idleMs : Math.min(idleMs, retryMs * 2 ** (failures - 1)));
    }
  };
  const running = run();
  return {
    nudge() {
      nudged = true;
      if (failures === 0) wake();
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("embedding was stopped"));
      wake();
      await running;
    },
  };
}
