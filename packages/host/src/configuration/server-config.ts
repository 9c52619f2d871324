import { IkigaiError } from "@ikigai/core";
import type { ServerSpec } from "@ikigai/mcp";
import { z } from "zod";
import { resolve } from "node:path";
import { trustedPath } from "@ikigai/core/process";
import { namedProgram, NO_TRACES, WORKSPACE_VARIABLE } from "./named-program.ts";

/** An MCP server as the configuration names it: a program to start, or an address to reach. */
export interface McpServerConfig {
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly timeout_ms?: number | undefined;
  /** Folder of the configuration that names it, where its paths start. Set when it is read. */
  readonly from?: string | undefined;
}

export interface McpConfig {
  readonly servers?: Readonly<Record<string, McpServerConfig>> | undefined;
}

const texts = z.record(z.string(), z.string());
const VARIABLES = "${NAME} stands for a variable of the environment";

const server = z
  .strictObject({
    command: z.string().min(1).optional().describe("The program to start; never passed through a shell"),
    args: z.array(z.string()).optional(),
    env: texts.optional().describe(`Its environment, beside PATH, HOME and the like; ${VARIABLES}`),
    cwd: z
      .string()
      .min(1)
      .optional()
      .describe("Its folder, relative to that of this file. Default: the folder of this file"),
    url: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("Where it is served over streamable HTTP"),
    headers: texts.optional().describe(`Sent with each request; ${VARIABLES}`),
    timeout_ms: z.int().min(1).optional().describe("Milliseconds a call may take. Default 120000"),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), "give either command or url");

const SERVER_NAME = /^(?!.*__)[a-z][a-z0-9_-]{0,31}$/;

export const mcpSchema: z.ZodType<McpConfig> = z.strictObject({
  servers: z
    .record(z.string(), server)
    .refine(
      (servers) => Object.keys(servers).every((name) => SERVER_NAME.test(name)),
      "name a server with lower-case letters, digits, dashes and single underscores",
    )
    .optional()
    .describe("MCP servers by name; their tools join as name__tool, their resources as name:///"),
});

/**
 * How a server is reached or started.
 *
 * Contract: throws `invalid_input` for a variable that is not set. Paths start where its configuration stands, and a bare
 * name is looked for outside the workspace only; `unavailable` when it is not there.
 */
export function toServerSpec(config: McpServerConfig, workspace: string, env: NodeJS.ProcessEnv): ServerSpec {
  const { command, args = [], cwd = ".", url = "", from = workspace } = config;
  if (command === undefined) return { url, headers: filledIn(config.headers, env) };
  return {
    command: namedProgram(command, { from, workspace, path: env["PATH"] ?? "" }),
    args,
    cwd: resolve(from, cwd),
    env: {
      PATH: trustedPath({ path: env["PATH"] ?? "", outside: [workspace] }),
      ...NO_TRACES,
      [WORKSPACE_VARIABLE]: workspace,
      ...filledIn(config.env, env),
    },
  };
}

function filledIn(values: Readonly<Record<string, string>> = {}, env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, variable: string) => {
        const found = env[variable];
        if (found !== undefined) return found;
        throw new IkigaiError("invalid_input", `${name} needs the variable ${variable}, which is not set`, {
          hint: `Set ${variable} in the environment.`,
        });
      }),
    ]),
  );
}
