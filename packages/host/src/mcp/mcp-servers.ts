import { messageOf } from "@ikigai/core";
import { type SourceManager, type ToolRegistry, withHint } from "@ikigai/core/host";
import type {
  KeptPart,
  McpServerStatus,
  MountedMcpServer,
  mountMcpServer,
  Prompts,
  ResourceTemplateCard,
  ServerSpec,
  ToolRoom,
} from "@ikigai/mcp";
import { loadPart } from "../parts/features.ts";
import { type McpConfig, type McpServerConfig, toServerSpec } from "../configuration/server-config.ts";
import type { CodeRuns } from "../trust/code-runs.ts";
import { serverUnit } from "../trust/code-unit.ts";
import type { ToolTrustStore } from "./tool-trust.ts";

export interface McpServersOptions {
  readonly config: McpConfig;
  /** Absolute path of the workspace. */
  readonly root: string;
  readonly registry: Pick<ToolRegistry, "register">;
  readonly sources: SourceManager;
  readonly trust: ToolTrustStore;
  /** Judges what is started, at each start. */
  readonly runs: CodeRuns;
  /** Keeps a part of an answer that is not text, and gives its address. */
  readonly keep: (part: KeptPart) => Promise<string>;
  /** Whether questions of the servers are put to whoever made the call. */
  readonly passesForms: boolean;
  /** Receives warnings for the operator. Must not throw. */
  readonly warn: (message: string) => void;
}

/** The MCP servers that the configuration names. */
export interface McpServers {
  readonly names: readonly string[];
  /**
   * Starts them, or only those with these names, once.
   *
   * Contract: never rejects; resolves when each has answered or failed for the first time. One that fails is tried
   * again with growing pauses.
   */
  start(names?: readonly string[]): Promise<void>;
  /** The servers that a call needs, by a tool of theirs or a text that names one of their mounts. */
  neededFor(tool: string, text: string): readonly string[];
  /** Contract: one per name, `idle` before `start`. */
  status(): readonly (Omit<McpServerStatus, "state"> & { readonly state: McpServerStatus["state"] | "idle" })[];
  /** The prompts of those that run, as `server__prompt`. */
  readonly prompts: Required<Prompts>;
  /** The resource templates of those that run, as templates of addresses in their mounts. */
  templates(): Promise<readonly ResourceTemplateCard[]>;
  close(): Promise<void>;
}

/** Set for the servers that we start, so that a server which is ikigai itself does not start them again, for ever. */
const INSIDE = "IKIGAI_INSIDE_MCP";

export function createMcpServers(options: McpServersOptions, env: NodeJS.ProcessEnv = process.env): McpServers {
  const { sources, warn } = options;
  const configured = Object.entries(env[INSIDE] === undefined ? (options.config.servers ?? {}) : {});
  const mounted = new Map<string, MountedMcpServer>();
  const failures = new Map<string, string>();
  const starting = new Map<string, Promise<void>>();
  const closing = new AbortController();
  let room: ToolRoom | undefined;

  const promptListeners = new Set<() => void>();
  const promptsChanged = (): void => {
    for (const listener of promptListeners) listener();
  };

  async function startOne(name: string, config: McpServerConfig): Promise<void> {
    try {
      const { createToolRoom, mountMcpServer } = await loadPart("@ikigai/mcp", "mcp");
      room ??= createToolRoom();
      const server = await mountMcpServer(serverOptions(name, config, { ...options, env, room, closing }));
      mounted.set(name, server);
      server.onPromptsChanged(promptsChanged);
      promptsChanged();
      if (closing.signal.aborted) await server.close();
      else await mountResources(name, server, sources);
    } catch (error) {
      const { hint } = error as { hint?: string };
      failures.set(name, withHint(messageOf(error), hint));
      warn(`MCP server ${name}: ${failures.get(name)}`);
    }
  }

  return {
    names: configured.map(([name]) => name),
    async start(names) {
      for (const [name, config] of configured) {
        if (starting.has(name) || names?.includes(name) === false) continue;
        starting.set(name, startOne(name, config));
      }
      await Promise.all(starting.values());
    },
    neededFor: (tool, text) =>
      configured.flatMap(([name]) => {
        const needed =
          tool === "source" || tool.startsWith(toolPrefix(name)) || text.includes(`${mountOfServer(name)}:///`);
        return needed ? [name] : [];
      }),
    status: () =>
      configured.map(([name]) => {
        const error = failures.get(name);
        const idle = { name, state: "idle" as const, tools: [], withheld: [] };
        const status = mounted.get(name)?.status() ?? idle;
        return error === undefined ? status : { ...status, error };
      }),
    prompts: promptsOf(mounted, promptListeners),
    async templates() {
      if (mounted.size === 0) return [];
      const { mountedTemplates } = await loadPart("@ikigai/mcp", "mcp");
      const lists = [...mounted].map(([name, server]) => mountedTemplates(server, mountOfServer(name)));
      return (await Promise.all(lists)).flat();
    },
    async close() {
      closing.abort();
      await Promise.all(starting.values());
      await Promise.all([...mounted.values()].map((server) => server.close()));
    },
  };
}

interface ServerParts extends McpServersOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Room for tools that all servers share. */
  readonly room: ToolRoom;
  readonly closing: AbortController;
}

/** What one server is mounted with. */
function serverOptions(
  name: string,
  config: McpServerConfig,
  parts: ServerParts,
): Parameters<typeof mountMcpServer>[0] {
  const { root, env, registry, trust, runs, warn, closing, keep, room, passesForms } = parts;
  const { command } = config;
  const specNow = async (): Promise<ServerSpec> => {
    const spec = toServerSpec(config, root, env);
    const unit = serverUnit(name, config, root);
    if (!("command" in spec) || unit === undefined || command === undefined) return spec;
    const [program, ...args] = await runs.prepare(unit, [command, ...(config.args ?? [])]);
    return { ...spec, command: program, args, env: { ...spec.env, [INSIDE]: "1" } };
  };
  return {
    name,
    server: toServerSpec(config, root, env),
    prepare: specNow,
    registry,
    trust: trust.of(name, config),
    warn: (message) => warn(`MCP server ${message}`),
    // Most servers greet at each start; what matters is said when one fails.
    onPrint: () => {},
    signal: closing.signal,
    keep,
    room,
    passesForms,
    ...(config.timeout_ms !== undefined && { timeoutMs: config.timeout_ms }),
  };
}

async function mountResources(name: string, server: MountedMcpServer, sources: SourceManager): Promise<void> {
  const { mcpResources } = await loadPart("@ikigai/mcp", "mcp");
  const offers = await server
    .use(async (client) => client.getServerCapabilities()?.resources !== undefined)
    .catch(() => true);
  if (offers)
    await sources.mount({ mount: mountOfServer(name), source: mcpResources(server), permission: "read_only" });
}

/** The prompts of the servers that are mounted when somebody asks. */
function promptsOf(mounted: ReadonlyMap<string, MountedMcpServer>, listeners: Set<() => void>): Required<Prompts> {
  return {
    async list() {
      if (mounted.size === 0) return [];
      const { foreignPrompts } = await loadPart("@ikigai/mcp", "mcp");
      return (await Promise.all([...mounted.values()].map(foreignPrompts))).flat();
    },
    async get(prompt, values) {
      if (mounted.size === 0) return undefined;
      const { foreignPrompt } = await loadPart("@ikigai/mcp", "mcp");
      for (const server of mounted.values()) {
        const text = await foreignPrompt(server, prompt, values);
        if (text !== undefined) return text;
      }
      return undefined;
    },
    onChange(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
}

/** Where a server's resources are mounted. Names of mounts have no underscores. */
export function mountOfServer(server: string): string {
  return server.replaceAll("_", "-");
}

/** Stands for all tools of a server in a list of toolsets. */
export function toolsOf(server: string): string {
  return `${toolPrefix(server)}*`;
}

/** Whether a tool of that name could come from one of these servers. */
export function mayBring(servers: readonly string[], tool: string): boolean {
  return servers.some((server) => tool.startsWith(toolPrefix(server)));
}

function toolPrefix(server: string): string {
  return `${server.replaceAll(/[^a-z0-9]+/g, "_")}__`;
}
