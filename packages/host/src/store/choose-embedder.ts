import { IkigaiError } from "@ikigai/core";
import type { Embedder } from "@ikigai/core/host";
import type { PartModules } from "../parts/features.ts";
import type { EmbedderConfig } from "../configuration/recall-config.ts";
import type { CodeRuns } from "../trust/code-runs.ts";
import { embedderUnits } from "../trust/code-unit.ts";
import { holdInThisProcess } from "../trust/held-code.ts";

type Part = PartModules["@ikigai/recall"];

export interface ChooseEmbedderOptions {
  /** Judges the packages of a project just before they are loaded. Absent: they are loaded as they are. */
  readonly runs?: EmbedderRuns | undefined;
  /** Default: that of this process. */
  readonly env?: NodeJS.ProcessEnv;
}

/** What judges an embedder. */
export type EmbedderRuns = Pick<CodeRuns, "check">;

/**
 * The embedder that the configuration names.
 *
 * Contract: loads nothing and asks nobody until the first text; then a key that is missing, or a package, is
 * `unavailable`, which costs a search its meaning and nothing else. So does a package of the project that is not what was
 * trusted: `permission_denied`.
 */
export function chooseEmbedder(config: EmbedderConfig, part: Part, options: ChooseEmbedderOptions = {}): Embedder {
  const { batch } = config;
  const named = namedEmbedder(config, part, options.env ?? process.env);
  const embedder: Embedder = batch === undefined ? named : { ...named, batch };
  const { runs } = options;
  const { from = "" } = config;
  const units = embedderUnits(config, from);
  if (runs === undefined || units.length === 0) return embedder;
  let judging: Promise<void> | undefined;
  const judge = async (): Promise<void> => {
    for (const unit of units) {
      const held = await runs.check(unit);
      if (held !== undefined) await holdInThisProcess(held);
    }
  };
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

function namedEmbedder(config: EmbedderConfig, part: Part, env: NodeJS.ProcessEnv): Embedder {
  const { weight, from: packages } = config;
  const common = { ...(weight !== undefined && { weight }), ...(packages !== undefined && { packages }) };
  if (config.use === "offline") return part.createEnergeticEmbedder(common);
  if (config.use === "folder") {
    const { folder, dimensions, prefix } = config;
    return part.createTransformersEmbedder({ folder, dimensions, ...(prefix !== undefined && { prefix }), ...common });
  }
  return endpointEmbedder(config, part, env);
}

function endpointEmbedder(config: EmbedderConfig & { use: "endpoint" }, part: Part, env: NodeJS.ProcessEnv): Embedder {
  const { base_url: url, model, dimensions, api_key_env: name, timeout_ms: timeoutMs, weight } = config;
  const apiKey = name === undefined ? undefined : env[name];
  const embedder = part.createHttpEmbedder({
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
