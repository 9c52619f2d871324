/**
 * Turns text into vectors whose direction is its meaning.
 *
 * Contract: one vector per text, in order, each of `dimensions` numbers; `unavailable` when the model cannot be
 * reached. `id` names the model and changes with it: vectors of different ids are never compared.
 */
export interface Embedder {
  readonly id: string;
  readonly dimensions: number;
  /** Weight of the best similarity beside the best match by words. Default 0.2, right for a small model. */
  readonly weight?: number;
  /** Texts that one request should have. Absent: as many as whoever asks finds good. */
  readonly batch?: number;
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>;
}
