import type { LanguageModelV3 } from "@ai-sdk/provider";
import { IkigaiError, messageOf } from "@ikigai/core";

export interface ModelSettings {
  /** `provider/model`, such as `anthropic/claude-sonnet-4-5` or `ollama/llama3`. */
  readonly model: string;
  /** Base URL of an OpenAI-compatible endpoint, or of a proxy for a known provider. */
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /**
   * Imports a provider's package from where the user installed it. Default: as this package would.
   *
   * Contract: rejects with `not_found` when it is not installed; its hint, without a full stop, is how to install it.
   */
  readonly load?: (name: string) => Promise<unknown>;
}

/** The variable that holds a provider's key, by custom. */
export function keyVariable(provider: string): string {
  return `${provider.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}_API_KEY`;
}

/**
 * Opens a model by name. Packages are imported only when they are asked for.
 *
 * Contract: `invalid_input` for a name that is none, `unavailable` with what to install for an unknown provider,
 * `permission_denied` with the variable to set for a missing key. Sends nothing.
 */
export async function openModel(settings: ModelSettings): Promise<LanguageModelV3> {
  const slash = settings.model.indexOf("/");
  const provider = settings.model.slice(0, slash);
  const name = settings.model.slice(slash + 1);
  if (slash <= 0 || name === "" || !/^[a-z0-9-]+$/.test(provider)) {
    throw new IkigaiError("invalid_input", `${JSON.stringify(settings.model)} does not name a model`, {
      hint: "Write provider/model, such as anthropic/claude-sonnet-4-5 or openai/gpt-5.",
    });
  }
  const { baseUrl: baseURL, apiKey } = settings;
  const shared = { ...(apiKey !== undefined && { apiKey }), ...(baseURL !== undefined && { baseURL }) };
  if (provider === "anthropic") {
    requireKey(provider, apiKey);
    return (await import("@ai-sdk/anthropic")).createAnthropic(shared)(name);
  }
  if (provider === "openai") {
    requireKey(provider, apiKey);
    return (await import("@ai-sdk/openai")).createOpenAI(shared).chat(name);
  }
  if (baseURL !== undefined) {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    return createOpenAICompatible({
      name: provider,
      baseURL,
      includeUsage: true,
      ...(apiKey !== undefined && { apiKey }),
    })(name);
  }
  return openFromPackage(provider, name, shared, settings.load ?? ((id) => import(id)));
}

/** Providers whose package of that name is known to exist; of any other, none is named. */
const PUBLISHED: ReadonlySet<string> = new Set([
  "amazon-bedrock",
  "azure",
  "cerebras",
  "cohere",
  "deepinfra",
  "deepseek",
  "fireworks",
  "gateway",
  "google",
  "google-vertex",
  "groq",
  "huggingface",
  "mistral",
  "perplexity",
  "togetherai",
  "vercel",
  "xai",
]);
const SERVED = "give the address of a server that speaks OpenAI's protocol with --base-url URL";

/** Further providers: `@ai-sdk/NAME` exports a factory `createName`. */
async function openFromPackage(
  provider: string,
  name: string,
  options: object,
  load: (name: string) => Promise<unknown>,
): Promise<LanguageModelV3> {
  const id = `@ai-sdk/${provider}`;
  let loaded: Record<string, unknown>;
  try {
    loaded = (await load(id)) as Record<string, unknown>;
  } catch (cause) {
    const missing =
      IkigaiError.is(cause, "not_found") || /Cannot find (package|module)|ERR_MODULE_NOT_FOUND/.test(messageOf(cause));
    if (!PUBLISHED.has(provider) && missing) {
      throw new IkigaiError("unavailable", `${JSON.stringify(provider)} is no provider that is known here`, {
        hint: `For a model of your own, ${SERVED}. Known are anthropic, openai, and by their packages ${[...PUBLISHED].join(", ")}.`,
        cause,
      });
    }
    if (!missing) {
      throw new IkigaiError("unavailable", `${id} cannot be loaded: ${messageOf(cause).split("\n")[0]}`, {
        hint: `Install it anew, or ${SERVED}.`,
        cause,
      });
    }
    throw new IkigaiError("unavailable", `The provider ${provider} needs the package ${id}, which is not installed`, {
      hint: `${(IkigaiError.is(cause) ? cause.hint : undefined) ?? `Run: npm install ${id}`}. Or ${SERVED}.`,
      cause,
    });
  }
  const factory = Object.entries(loaded).find(
    ([key, value]) => key.startsWith("create") && typeof value === "function",
  )?.[1];
  if (factory === undefined)
    throw new IkigaiError(
      "unsupported",
      `${id} is no package of a model provider: it exports nothing that makes models`,
      {
        hint: "Check the name before the slash of the model.",
      },
    );
  return (factory as (options: object) => (name: string) => LanguageModelV3)(options)(name);
}

function requireKey(provider: string, apiKey: string | undefined): void {
  if (apiKey !== undefined && apiKey !== "") return;
  throw new IkigaiError("permission_denied", `There is no key for ${provider}`, {
    hint: `Set ${keyVariable(provider)}, or run: ikigai login ${provider}.`,
  });
}
