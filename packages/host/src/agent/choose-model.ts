import { keyVariable, type ModelSettings } from "@ikigai/agent";
import { IkigaiError } from "@ikigai/core";

/** A place that may name a model: a flag, the environment, an agent or the configuration. */
export interface ModelSource {
  readonly model?: string | undefined;
  readonly base_url?: string | undefined;
}

export interface ModelChoice {
  readonly model: string;
  readonly baseUrl?: string;
}

export const HOW_TO_SET_A_MODEL: string = [
  "Set one with --model provider/model, the variable IKIGAI_MODEL, or the field model of ikigai.config.json:",
  "  export ANTHROPIC_API_KEY=…  and  ikigai --model anthropic/claude-sonnet-4-5",
  "  export OPENAI_API_KEY=…     and  ikigai --model openai/gpt-5",
  "  ikigai --model ollama/llama3 --base-url http://127.0.0.1:11434/v1",
  "Everything but chatting works without one; ikigai demo shows a conversation with a scripted model.",
].join("\n");

/**
 * The model that counts: of the first place that names one.
 *
 * Contract: a base URL is used only for the provider it was given for, so that no key goes where it does not belong.
 * Absent when no place names a model.
 */
export function chooseModel(places: readonly ModelSource[]): ModelChoice | undefined {
  const named = places.find(({ model }) => model !== undefined);
  if (named?.model === undefined) return undefined;
  const provider = providerOf(named.model);
  const baseUrl =
    named.base_url ??
    places.find(
      ({ model, base_url }) => base_url !== undefined && (model === undefined || providerOf(model) === provider),
    )?.base_url;
  return { model: named.model, ...(baseUrl !== undefined && { baseUrl }) };
}

export function providerOf(model: string): string {
  return model.slice(0, Math.max(0, model.indexOf("/")));
}

export function noModel(): IkigaiError {
  return new IkigaiError("invalid_input", "There is no model to talk to", { hint: HOW_TO_SET_A_MODEL });
}

/** The choice with its key: from the environment by custom, else from the credential file. */
export async function withKey(
  choice: ModelChoice,
  env: NodeJS.ProcessEnv,
  kept: (provider: string) => Promise<string | undefined>,
): Promise<ModelSettings> {
  const provider = providerOf(choice.model);
  const apiKey = env[keyVariable(provider)] || (await kept(provider));
  return { ...choice, ...(apiKey !== undefined && apiKey !== "" && { apiKey }) };
}
