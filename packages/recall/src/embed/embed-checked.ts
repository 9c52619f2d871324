import { IkigaiError } from "@ikigai/core";
import type { Embedder } from "@ikigai/core/host";

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
