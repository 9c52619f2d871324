import type { MemoryPermission } from "@ikigai/core";
import { PERMISSION_ORDER } from "@ikigai/core/host";
import { z } from "zod";

const names = z.array(z.string().min(1));
const perTool = <T extends z.ZodType>(value: T): z.ZodRecord<z.ZodString, T> => z.record(z.string(), value);

const rules = z.strictObject({
  exit_loop: names.optional().describe("Tools that end the turn when they succeed"),
  continue_loop: names
    .optional()
    .describe("Tools after which the model is asked again, whatever else would end the turn"),
  requires_consent: names.optional().describe("Tools for which a person is asked each time"),
  max_calls: perTool(z.int().min(0)).optional().describe("Calls of a tool in one turn"),
  cooldown: perTool(z.number().min(0)).optional().describe("Seconds between two calls of a tool"),
  ordering: perTool(names).optional().describe("Tools that must have succeeded in this turn before"),
});

export const agentSchema: z.ZodType<AgentConfig> = z.strictObject({
  name: z.string().min(1).max(64).describe("The name that --agent takes"),
  model: z.string().min(1).optional().describe("provider/model. Default: the model of the configuration"),
  base_url: z.url().optional().describe("Where that model is served, for OpenAI-compatible endpoints"),
  context_limit: z.int().min(4_000).optional().describe("Tokens of a request. Default: that of the configuration"),
  prompt: z.string().optional().describe("Its instructions"),
  tools: names.optional().describe("The tools it sees. Default all"),
  operations: perTool(names).optional().describe("The operations it may use, by tool"),
  permissions: z
    .array(
      z.strictObject({
        glob: z.string().min(1).max(1_000).describe("Addresses, such as ikigai:///blocks/**"),
        permission: z.enum(PERMISSION_ORDER),
      }),
    )
    .optional()
    .describe("A ceiling on what it may change; the first match counts"),
  pins: names.optional().describe("Addresses whose text is in every request"),
  rules: rules.optional().describe("Rules for its tools"),
});

/** An agent as the configuration names it. */
export interface AgentConfig {
  readonly name: string;
  readonly model?: string | undefined;
  readonly base_url?: string | undefined;
  readonly context_limit?: number | undefined;
  readonly prompt?: string | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly operations?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly permissions?: readonly { readonly glob: string; readonly permission: MemoryPermission }[] | undefined;
  readonly pins?: readonly string[] | undefined;
  readonly rules?:
    | {
        readonly exit_loop?: readonly string[] | undefined;
        readonly continue_loop?: readonly string[] | undefined;
        readonly requires_consent?: readonly string[] | undefined;
        readonly max_calls?: Readonly<Record<string, number>> | undefined;
        readonly cooldown?: Readonly<Record<string, number>> | undefined;
        readonly ordering?: Readonly<Record<string, readonly string[]>> | undefined;
      }
    | undefined;
}
