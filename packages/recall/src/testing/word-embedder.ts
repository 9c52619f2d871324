import { createHash } from "node:crypto";
import type { Embedder } from "@ikigai/core/host";

/**
 * An embedder for tests, offline and exact: each word, or the group of words that mean the same, is one direction.
 *
 * `groups` lists words of one meaning, separated by spaces.
 */
export function createWordEmbedder(
  groups: readonly string[] = [],
  { id = "words", dimensions = 128 }: { readonly id?: string; readonly dimensions?: number } = {},
): Embedder {
  const meaning = new Map(groups.flatMap((group) => group.split(" ").map((word) => [word, group] as const)));
  return {
    id,
    dimensions,
    embed: async (texts) => texts.map((text) => vectorOf(text, meaning, dimensions)),
  };
}

function vectorOf(text: string, meaning: ReadonlyMap<string, string>, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) {
    const bytes = createHash("sha512")
      .update(meaning.get(word) ?? word)
      .digest();
    for (let i = 0; i < dimensions; i++) vector[i] = (vector[i] as number) + ((bytes[i % 64] as number) - 127.5) / 128;
  }
  return vector;
}
