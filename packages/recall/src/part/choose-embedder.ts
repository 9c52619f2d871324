import { IkigaiError } from "@ikigai/core";
import type { Embedder } from "@ikigai/core/host";
import { createEnergeticEmbedder } from "../embed/energetic-embedder.ts";
import { createHttpEmbedder } from "../embed/http-embedder.ts";
import { createTransformersEmbedder } from "../embed/transformers-embedder.ts";
import type { EmbedderSection } from "./embedder-section.ts";

export interface ChooseEmbedderOptions {
  /** Judges the packages of a project just before they are loaded. Absent: they are loaded as they are. */
  readonly judge?: (() => Promise<void>) | undefined;
  /** Default: that of this process. */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * The embedder that the configuration names.
 *
 * Contract: loads nothing and asks nobody until the first text; then a key that is missing, or a package, is
 * `unavailable`, which costs a search its meaning and nothing else. So does a package of the project that is not what was
 * trusted: `permission_denied`.
 */
export function chooseEmbedder(section: EmbedderSection, options: ChooseEmbedderOptions = {}): Embedder {
  const { batch } = section;
  const named = namedEmbedder(section, options.env ?? process.env);
  const embedder: Embedder = batch === undefined ? named : { ...named, batch };
  const { judge } = options;
  if (judge === undefined) return embedder;
  let judging: Promise<void> | undefined;
  return {
    ...embedder,
    async embed(texts, signal) {
      judging ??= judge();
      try {
        await judging;
      } catch (error) {
        judging = undefined;
        throw error;
      }
      return embedder.embed(texts, signal);
    },
  };
}

function namedEmbedder(section: EmbedderSection, env: NodeJS.ProcessEnv): Embedder {
  const { weight, from: packages } = section;
  const common = { ...(weight !== undefined && { weight }), ...(packages !== undefined && { packages }) };
  if (section.use === "offline") return createEnergeticEmbedder(common);
  if (section.use === "folder") {
    const { folder, dimensions, prefix } = section;
    return createTransformersEmbedder({ folder, dimensions, ...(prefix !== undefined && { prefix }), ...common });
  }
  return endpointEmbedder(section, env);
}

function endpointEmbedder(section: EmbedderSection & { use: "endpoint" }, env: NodeJS.ProcessEnv): Embedder {
  const { base_url: url, model, dimensions, api_key_env: name, timeout_ms: timeoutMs, weight } = section;
  const apiKey = name === undefined ? undefined : env[name];
  const embedder = createHttpEmbedder({
    url,
    model,
    dimensions,
    ...(apiKey !== undefined && { apiKey }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(weight !== undefined && { weight }),
  });
  if (name === undefined || (apiKey !== undefined && apiKey !== "")) return embedder;
  return {
    ...embedder,
    embed: () =>
      Promise.reject(
        new IkigaiError("unavailable", `The variable ${name}, which holds the key of ${url}, is not set`, {
          hint: `Set it, or take api_key_env out of the configuration when no key is needed.`,
        }),
      ),
  };
}
