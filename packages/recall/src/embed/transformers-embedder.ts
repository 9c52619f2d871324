import { basename } from "node:path";
import type { Embedder } from "./embedder.ts";
import { loadPackage } from "./load-package.ts";

export interface TransformersEmbedderOptions {
  /** Folder with an ONNX embedding model as published on the Hugging Face hub. Nothing is downloaded. */
  readonly folder: string;
  readonly dimensions: number;
  /** Put before every text, for models that want it. Default: nothing. */
  readonly prefix?: string;
}

interface Tensor {
  tolist(): number[][];
}

interface Transformers {
  readonly env: { allowRemoteModels: boolean; allowLocalModels: boolean };
  pipeline(
    task: "feature-extraction",
    model: string,
    options: { local_files_only: boolean },
  ): Promise<(texts: readonly string[], options: { pooling: "mean"; normalize: boolean }) => Promise<Tensor>>;
}

/** An embedder that runs a model of a local folder through the optional package `@huggingface/transformers`. */
export function createTransformersEmbedder({ folder, dimensions, prefix = "" }: TransformersEmbedderOptions): Embedder {
  let loading: ReturnType<typeof loadPipeline> | undefined;
  return {
    id: `${basename(folder)}@${dimensions}`,
    dimensions,
    async embed(texts, signal) {
      const extract = await (loading ??= loadPipeline(folder));
      signal?.throwIfAborted();
      const output = await extract(
        texts.map((text) => `${prefix}${text}`),
        { pooling: "mean", normalize: true },
      );
      return output.tolist().map((vector) => Float32Array.from(vector));
    },
  };
}

async function loadPipeline(folder: string): ReturnType<Transformers["pipeline"]> {
  const transformers = await loadPackage<Transformers>("@huggingface/transformers");
  transformers.env.allowRemoteModels = false;
  transformers.env.allowLocalModels = true;
  return transformers.pipeline("feature-extraction", folder, { local_files_only: true });
}
