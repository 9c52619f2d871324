import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { findKeeper } from "@ikigai/database";
import { openPeers } from "./peers.ts";

/** A server in a process of its own, driven over its standard input and output by the official client. */
export interface McpServer {
  readonly tools: readonly string[];
  /** Contract: gives the answer's text; throws when the tool says it failed. */
  call(name: string, args: object): Promise<ToolAnswer>;
  /** The server and, for ours, the store's keeper once there is one. */
  pids(): Promise<readonly number[]>;
  close(): Promise<void>;
}

export interface ToolAnswer {
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly isError?: boolean;
}

/** The version that an answer of ours names in its last line. */
export function versionIn({ content }: ToolAnswer): string | undefined {
  return /version: ([^,\]\s]+)[^\n]*$/.exec(content?.[0]?.text ?? "")?.[1];
}

interface Transport {
  readonly pid: number | null;
}

interface ClientModule {
  readonly Client: new (info: { name: string; version: string }) => {
    connect(transport: Transport): Promise<void>;
    listTools(): Promise<{ tools: { name: string }[] }>;
    callTool(call: { name: string; arguments: object }, options?: { timeout?: number }): Promise<ToolAnswer>;
    close(): Promise<void>;
  };
}

interface StdioModule {
  readonly StdioClientTransport: new (options: {
    command: string;
    args: readonly string[];
    env?: NodeJS.ProcessEnv;
    cwd?: string;
    stderr?: "ignore" | "inherit";
  }) => Transport;
}

const CALL_MS = 300_000;

interface Launch {
  readonly script: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly keeperOf?: string;
}

/** Our server on a workspace and a store. */
export async function startOurs(root: string, store: string, ...flags: readonly string[]): Promise<McpServer> {
  const script = join(dirname(createRequire(import.meta.url).resolve("ikigai/package.json")), "bin", "ikigai.js");
  const args = ["--root", root, "--store", store, "mcp", ...flags];
  const env = { ...process.env, XDG_CONFIG_HOME: join(store, "config"), DATABASE_URL: undefined };
  return start({ script, args, env, keeperOf: join(store, "postgres") });
}

/** The reference server for files. */
export async function startFilesystem(root: string): Promise<McpServer> {
  const script = (await openPeers()).file("@modelcontextprotocol/server-filesystem", "dist/index.js");
  return start({ script, args: [root] });
}

/** The reference server for memories, kept in one file. */
export async function startMemory(file: string): Promise<McpServer> {
  const script = (await openPeers()).file("@modelcontextprotocol/server-memory", "dist/index.js");
  return start({ script, args: [], env: { ...process.env, MEMORY_FILE_PATH: file } });
}

async function start({ script, args, env = process.env, keeperOf }: Launch): Promise<McpServer> {
  const peers = await openPeers();
  const { Client } = await peers.load<ClientModule>("@modelcontextprotocol/client");
  const { StdioClientTransport } = await peers.load<StdioModule>("@modelcontextprotocol/client/stdio");
  const client = new Client({ name: "ikigai-bench", version: "0" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [script, ...args],
    env,
    stderr: process.env["BENCH_VERBOSE"] === undefined ? "ignore" : "inherit",
  });
  await client.connect(transport);
  const { tools } = await client.listTools();
  return {
    tools: tools.map(({ name }) => name),
    async call(name, given) {
      const answer = await client.callTool({ name, arguments: given }, { timeout: CALL_MS });
      if (answer.isError === true) throw new Error(`${name}: ${JSON.stringify(answer).slice(0, 500)}`);
      return answer;
    },
    async pids() {
      const keeper = keeperOf !== undefined && existsSync(keeperOf) ? await findKeeper(keeperOf) : undefined;
      return [transport.pid, keeper?.pid].filter((pid) => typeof pid === "number");
    },
    close: () => client.close(),
  };
}
