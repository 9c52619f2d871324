import { IkigaiError } from "@ikigai/core";

/**
 * Turns text into vectors whose direction is its meaning.
 *
 * Contract: one vector per text, in order, each of `dimensions` numbers; `unavailable` when the model cannot be
 * reached. `id` names the model and changes with it: vectors of different ids are never compared.
 */
export interface Embedder {
  readonly id: string;
  readonly dimensions: number;
  /** What its best similarity counts beside the best words. Default 0.2, right for a small model. */
  readonly weight?: number;
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>;
}

/** Contract: throws `unavailable` unless the embedder kept its word; nothing of another size is ever stored. */
export async function embedChecked(
  embedder: Embedder,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<readonly Float32Array[]> {
  const { id, dimensions } = embedder;
  const vectors = await embedder.embed(texts, signal);
  if (vectors.length !== texts.length) {
    throw mismatch(`${id} gave ${vectors.length} vectors for ${texts.length} texts`);
  }
  const wrong = vectors.find((vector) => vector.length !== dimensions);
  if (wrong !== undefined)
    throw mismatch(`${id} gave a vector of ${wrong.length} numbers, ${dimensions} were announced`);
  const odd = vectors.find((vector) => !vector.every(Number.isFinite));
  if (odd === undefined) return vectors;
  const count = odd.filter((value) => !Number.isFinite(value)).length;
  throw mismatch(`${id} gave a vector in which ${count} of ${dimensions} values are not numbers`);
}

function mismatch(message: string): IkigaiError {
  return new IkigaiError("unavailable", message, {
    hint: "Check the embedding model and the number of dimensions in the configuration.",
  });
}
