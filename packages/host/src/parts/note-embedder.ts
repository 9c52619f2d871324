import type { Embedder } from "@ikigai/notes";
import type { PartModules } from "./features.ts";
import type { EmbedderConfig } from "../configuration/recall-config.ts";
import { chooseEmbedder } from "../store/choose-embedder.ts";

const BATCH = 32;

/** The archive's embedder as notes use it. Contract: asks for no more texts at once than the configuration says. */
export function noteEmbedder(config: EmbedderConfig, part: PartModules["@ikigai/recall"]): Embedder {
  const embedder = chooseEmbedder(config, part);
  const batch = config.batch ?? BATCH;
  return {
    model: embedder.id,
    dimensions: embedder.dimensions,
    async embed(texts, { signal } = {}) {
      const vectors: number[][] = [];
      for (let at = 0; at < texts.length; at += batch) {
        for (const vector of await embedder.embed(texts.slice(at, at + batch), signal)) vectors.push([...vector]);
      }
      return vectors;
    },
  };
}
