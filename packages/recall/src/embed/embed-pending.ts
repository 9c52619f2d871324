import { setTimeout as wait } from "node:timers/promises";
import { IkigaiError } from "@ikigai/core";
import type { RecallEmbedding } from "../contract.ts";

export interface EmbedPendingOptions {
  /** Entries per request to the model. Default 32. */
  readonly batch?: number;
  readonly signal?: AbortSignal;
  /** Contract: must not throw. */
  readonly onProgress?: (progress: { readonly done: number; readonly remaining: number }) => void;
  /** How often a batch is tried again when the endpoint says that it is busy. Default 4. */
  readonly retries?: number;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/**
 * Gives every entry without a vector one, batch by batch, until none is left.
 *
 * Contract: what was done stays done, so that calling it again resumes; rejects with the signal's reason when aborted.
 * Gives the number of entries embedded.
 */
export async function embedPending(embedding: RecallEmbedding, options: EmbedPendingOptions = {}): Promise<number> {
  const { batch = 32, signal, onProgress, retries = 4 } = options;
  let done = 0;
  let tries = 0;
  for (;;) {
    signal?.throwIfAborted();
    try {
      const { embedded, remaining } = await embedding.embedNext(batch, signal);
      tries = 0;
      done += embedded;
      onProgress?.({ done, remaining });
      if (embedded === 0 || remaining === 0) return done;
    } catch (error) {
      const pause = pauseAfter(error, tries);
      if (pause === undefined || tries >= retries) throw error;
      tries += 1;
      await wait(pause, undefined, signal === undefined ? {} : { signal }).catch(() => {});
    }
  }
}

/** How long to wait before the same again; `undefined` when that would not help. */
function pauseAfter(error: unknown, tries: number): number | undefined {
  if (!IkigaiError.is(error, "unavailable")) return undefined;
  const { status, retry_after_ms: asked } = (error.details ?? {}) as { status?: number; retry_after_ms?: number };
  if (status === undefined || (status !== 429 && status < 500)) return undefined;
  return Math.min(LONGEST_WAIT_MS, asked ?? FIRST_WAIT_MS * 2 ** tries);
}
