import type { RecallEmbedding } from "../contract.ts";

export interface EmbedPendingOptions {
  /** Entries per request to the model. Default 32. */
  readonly batch?: number;
  readonly signal?: AbortSignal;
  /** Contract: must not throw. */
  readonly onProgress?: (progress: { readonly done: number; readonly remaining: number }) => void;
}

/**
 * Gives every entry without a vector one, batch by batch, until none is left.
 *
 * Contract: what was done stays done, so that calling it again resumes; rejects with the signal's reason when aborted.
 * Gives the number of entries embedded.
 */
export async function embedPending(embedding: RecallEmbedding, options: EmbedPendingOptions = {}): Promise<number> {
  const { batch = 32, signal, onProgress } = options;
  let done = 0;
  for (;;) {
    signal?.throwIfAborted();
    const { embedded, remaining } = await embedding.embedNext(batch, signal);
    done += embedded;
    onProgress?.({ done, remaining });
    if (embedded === 0 || remaining === 0) return done;
  }
}
