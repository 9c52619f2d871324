import { basename } from "node:path";
import { IkigaiError, messageOf } from "@ikigai/core";
import type { Embedder } from "@ikigai/core/host";
import { loadPackage } from "./load-package.ts";

export interface TransformersEmbedderOptions {
  /** Folder with an ONNX embedding model as published on the Hugging Face hub. Nothing is downloaded. */
  readonly folder: string;
  readonly dimensions: number;
  /** Put before every text, for models that want it. Default: nothing. */
  readonly prefix?: string;
  /** Folder whose installed packages are used when they are not beside this one. */
  readonly packages?: string;
  /** Weight of the best similarity beside the best match by words. Default: that of {@link Embedder}. */
  readonly weight?: number;
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
export function createTransformersEmbedder(options: TransformersEmbedderOptions): Embedder {
  const { folder, dimensions, prefix = "", packages, weight } = options;
  let loading: ReturnType<typeof loadPipeline> | undefined;
  return {
    id: `${basename(folder)}@${dimensions}`,
    dimensions,
    ...(weight !== undefined && { weight }),
    async embed(texts, signal) {
      const extract = await (loading ??= loadPipeline(folder, packages));
      signal?.throwIfAborted();
      const output = await extract(
        texts.map((text) => `${prefix}${text}`),
        { pooling: "mean", normalize: true },
      );
      return output.tolist().map((vector) => Float32Array.from(vector));
    },
  };
}

async function loadPipeline(folder: string, packages: string | undefined): ReturnType<Transformers["pipeline"]> {
  const transformers = await loadPackage<Transformers>("@huggingface/transformers", packages);
  transformers.env.allowRemoteModels = false;
  transformers.env.allowLocalModels = true;
  try {
    return await transformers.pipeline("feature-extraction", folder, { local_files_only: true });
  } catch (cause) {
    throw new IkigaiError("unavailable", `The model in ${folder} does not load (${messageOf(cause)})`, {
      hint: "Check that the folder holds config.json, the tokenizer and onnx/model.onnx.",
      cause,
    });
  }
}
