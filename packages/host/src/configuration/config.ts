import { join } from "node:path";
import { IkigaiError, type MemoryPermission } from "@ikigai/core";
import { PERMISSION_ORDER, type ReconcileStrategy } from "@ikigai/core/host";
import { readSmallFile } from "@ikigai/permission";
import type { Retention } from "@ikigai/memory";
import { z } from "zod";
import { type AgentConfig, agentSchema } from "./agent-config.ts";
import { describeJsonProblem } from "./json-problem.ts";
import { type McpConfig, mcpSchema } from "./server-config.ts";
import { type RecallConfig, recallSchema } from "./recall-config.ts";

export const CONFIG_FILE = "ikigai.config.json";

const permission = z.enum(PERMISSION_ORDER);

const source = z.strictObject({
  use: z
    .string()
    .min(1)
    .describe(
      "The package that brings the source, or a file such as ./my-source.js, beside this file; package#name for one of several",
    ),
  mount: z.string().min(1).describe("The name of the mount, which is the scheme of its addresses"),
  options: z.record(z.string(), z.unknown()).optional().describe("What the source itself takes"),
  permission: permission.optional().describe("A ceiling on what may be changed in this mount"),
  wake: z.boolean().optional().describe("Whether events of this stream start a turn of an open conversation"),
});

const part = z.strictObject({
  use: z
    .string()
    .min(1)
    .describe(
      "The package that brings the part, or a file such as ./my-part.js, beside this file; package#name for one of several",
    ),
  options: z.record(z.string(), z.unknown()).optional().describe("What the part itself takes"),
});

const rule = z.strictObject({
  glob: z.string().min(1).describe("Paths in the workspace, such as secrets/**"),
  permission,
});

const hook = z.strictObject({
  command: z
    .tuple([z.string().min(1)], z.string(), {
      error: 'expected a list of texts, the program first, such as ["node", "check.js"]',
    })
    .describe("Program and arguments; never passed through a shell. It runs in the folder of this file"),
  tools: z.array(z.string()).optional().describe("The tools it hears of. Default all"),
  timeout_ms: z.int().min(1).optional().describe("Milliseconds it may take. Default 10000"),
});

const keep = z.strictObject({
  days: z.number().min(0).optional().describe("How old it may become. Default: however old"),
  rows: z.int().min(0).optional().describe("How many are kept, the latest. Default: however many"),
});

export const configSchema: z.ZodType<Config> = z.strictObject({
  $schema: z.string().optional(),
  rules: z.array(rule).optional().describe("What may be changed in the workspace; the first match counts"),
  budget: z.int().min(0).optional().describe("Tokens that an agent's pins may have in all. Default 100000"),
  journal: z
    .boolean()
    .optional()
    .describe("Whether every change is written down, so that it can be undone. Default true"),
  retention: z
    .strictObject({ journal: keep.optional(), audit: keep.optional(), conversations: keep.optional() })
    .optional()
    .describe("How much history is kept; counts in the user's own configuration only. Default: everything"),
  watch: z
    .enum(["off", "notify", "merge", "disk_wins", "agent_wins", "ask"])
    .optional()
    .describe("What becomes of changes on disk, and of blocks that were loaded from there. Default off"),
  answer_within_ms: z
    .int()
    .min(1)
    .optional()
    .describe("Milliseconds a person may take to answer; none in time is no. Default 300000"),
  hooks: z
    .strictObject({ before: z.array(hook).optional(), after: z.array(hook).optional() })
    .optional()
    .describe("Commands that hear of calls; one that runs before may deny"),
  sources: z.array(source).optional().describe("Sources to mount beside the workspace"),
  parts: z
    .array(part)
    .optional()
    .describe("Further parts, which bring tools, commands, mounts and more; each has its own section in its entry"),
  notes: z
    .strictObject({
      exclude: z.array(z.string().min(1)).optional().describe("Mounts whose texts are no notes. Default none"),
    })
    .optional()
    .describe("Which mounts hold notes: every source of text but those that are excluded here"),
  mcp: mcpSchema.optional().describe("Other MCP servers, whose tools and resources join ours"),
  model: z.string().min(1).optional().describe("provider/model, such as anthropic/claude-sonnet-4-5"),
  base_url: z.url().optional().describe("Where that model is served, for OpenAI-compatible endpoints"),
  recall: recallSchema.optional().describe("How the archive is searched"),
  context_limit: z.int().min(4_000).optional().describe("Tokens of a request to the model. Default 150000"),
  agents: z
    .array(agentSchema)
    .refine((agents) => new Set(agents.map(({ name }) => name)).size === agents.length, "two agents have one name")
    .optional()
    .describe("Agents by name; --agent chooses one. Of one name the user's own counts, not the project's"),
  max_output_size: z.int().min(1_000).optional().describe("Characters of a tool's answer. Default 30000"),
  timeout_ms: z.int().min(1).optional().describe("Milliseconds a tool may take. Default 120000"),
});

export interface SourceConfig {
  readonly use: string;
  readonly mount: string;
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  readonly permission?: MemoryPermission | undefined;
  readonly wake?: boolean | undefined;
  /** Folder of the configuration that names it, where `use` is looked for. Set when it is read. */
  readonly from?: string | undefined;
}

export interface PartConfig {
  readonly use: string;
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  /** Folder of the configuration that names it, where `use` is looked for. Set when it is read. */
  readonly from?: string | undefined;
  /** Where its options stand in that configuration, such as `parts.0.options`. Set when it is read. */
  readonly section?: string | undefined;
}

export interface HookConfig {
  readonly command: readonly [string, ...string[]];
  readonly tools?: readonly string[] | undefined;
  readonly timeout_ms?: number | undefined;
  /** Folder of the configuration that names it, where it runs. Set when it is read. */
  readonly from?: string | undefined;
}

export interface Config {
  readonly $schema?: string | undefined;
  /** `from` is the file that the rule stands in; no file says it itself. */
  readonly rules?:
    | readonly { readonly glob: string; readonly permission: MemoryPermission; readonly from?: string | undefined }[]
    | undefined;
  readonly budget?: number | undefined;
  readonly journal?: boolean | undefined;
  readonly retention?: Retention | undefined;
  readonly watch?: "off" | "notify" | ReconcileStrategy | undefined;
  readonly answer_within_ms?: number | undefined;
  readonly hooks?:
    | { readonly before?: readonly HookConfig[] | undefined; readonly after?: readonly HookConfig[] | undefined }
    | undefined;
  readonly sources?: readonly SourceConfig[] | undefined;
  readonly parts?: readonly PartConfig[] | undefined;
  readonly notes?: { readonly exclude?: readonly string[] | undefined } | undefined;
  readonly mcp?: McpConfig | undefined;
  readonly model?: string | undefined;
  readonly base_url?: string | undefined;
  readonly recall?: RecallConfig | undefined;
  readonly context_limit?: number | undefined;
  readonly agents?: readonly AgentConfig[] | undefined;
  readonly max_output_size?: number | undefined;
  readonly timeout_ms?: number | undefined;
}

/** A configuration, and the very bytes that it was read from. */
export interface LoadedConfig {
  readonly config: Config;
  readonly path: string;
  /** Absent: there is no file, or none that can be read. */
  readonly bytes?: Buffer;
  /** Error of a configuration that cannot be used. */
  readonly fault?: IkigaiError;
}

/** The configuration in a folder. Contract: empty when there is no file; `invalid_input` names the file and the fault. */
export async function loadConfig(folder: string): Promise<Config> {
  const { config, fault } = await readConfig(folder);
  if (fault !== undefined) throw fault;
  return config;
}

/** Contract: the file is read once; what is wrong with it is told and not thrown. */
export async function readConfig(folder: string): Promise<LoadedConfig> {
  const path = join(folder, CONFIG_FILE);
  let bytes: Buffer | undefined;
  try {
    bytes = (await readSmallFile(path))?.bytes;
    const config = bytes === undefined ? {} : parseConfig(bytes.toString("utf8"), path);
    return { config, path, ...(bytes !== undefined && { bytes }) };
  } catch (error) {
    if (!IkigaiError.is(error)) throw error;
    return { config: {}, path, fault: error, ...(bytes !== undefined && { bytes }) };
  }
}

function parseConfig(text: string, file: string): Config {
  const checked = configSchema.safeParse(parseJson(text, file));
  if (checked.success) return checked.data;
  throw new IkigaiError("invalid_input", `${file}: ${z.prettifyError(checked.error)}`, {
    hint: "Correct the file; its schema is ikigai/schema.json.",
  });
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new IkigaiError("invalid_input", `${file} is not valid JSON: ${describeJsonProblem(text)}`, {
      cause,
      hint: "Mend the file; ikigai init writes one that is right into a folder without.",
    });
  }
}
