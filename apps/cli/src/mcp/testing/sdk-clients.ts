import { spawn } from "node:child_process";
import { once } from "node:events";
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "mcp-sdk-1/client/index.js";
import { StdioClientTransport as Stdio1 } from "mcp-sdk-1/client/stdio.js";
import { StreamableHTTPClientTransport as Http1 } from "mcp-sdk-1/client/streamableHttp.js";
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from "mcp-sdk-1/types.js";
import { PROGRAM } from "../../testing/program.ts";
import { whereItServes } from "./official-client.ts";

/** A client of one of the official libraries, by what its application sees. */
export interface SdkClient {
  readonly toolNames: () => Promise<readonly string[]>;
  /** The text of an answer, which is what a model is given; the client's own words when it refuses the answer. */
  readonly call: (name: string, args: Record<string, unknown>) => Promise<string>;
  /** What a person at the client answers from now on. */
  readonly answerWith: (decision: "allow" | "deny") => void;
  /** Resolves when the client was told that the tools changed. */
  readonly toolsChanged: Promise<void>;
  readonly killServer: () => void;
  readonly close: () => Promise<void>;
}

export const SDKS = ["1.x", "2.x speaking 2025-11-25", "2.x speaking 2026-07-28"] as const;
export const TRANSPORTS = ["stdio", "HTTP"] as const;
export type SdkName = (typeof SDKS)[number];
export type TransportName = (typeof TRANSPORTS)[number];

/** Where a server is reached: a program to start, or an address. */
type Reach =
  | { readonly command: string; readonly args: string[]; readonly env: Record<string, string> }
  | { readonly url: URL; readonly headers: Record<string, string> };

/** A client of the official library on the built `ikigai mcp`. Contract: whoever connects closes. */
export async function connectSdk(sdk: SdkName, transport: TransportName, flags: readonly string[]): Promise<SdkClient> {
  const args = [PROGRAM, ...flags, "mcp"];
  const env = {
    XDG_CONFIG_HOME: process.env["XDG_CONFIG_HOME"] ?? "",
    XDG_CACHE_HOME: process.env["XDG_CACHE_HOME"] ?? "",
  };
  const server = transport === "HTTP" ? await startHttp(args, env) : undefined;
  const reach = server ?? { command: process.execPath, args, env: { PATH: process.env["PATH"] ?? "", ...env } };
  const state = { decision: "deny" };
  let tell = (): void => {};
  const toolsChanged = new Promise<void>((resolve) => (tell = resolve));
  const client = await (sdk === "1.x" ? connect1(reach, state, tell) : connect2(sdk, reach, state, tell));
  return {
    toolNames: client.toolNames,
    call: client.call,
    answerWith: (decision) => void (state.decision = decision),
    toolsChanged,
    killServer() {
      const pid = server?.pid ?? client.pid();
      if (pid !== undefined && pid !== null) process.kill(pid, "SIGKILL");
    },
    async close() {
      await client.close().catch(() => {});
      await server?.stop();
    },
  };
}

interface Connected {
  readonly toolNames: () => Promise<readonly string[]>;
  readonly call: SdkClient["call"];
  readonly pid: () => number | null | undefined;
  readonly close: () => Promise<void>;
}

type Decision = { decision: string };

async function connect1(reach: Reach, state: Decision, tell: () => void): Promise<Connected> {
  const client = new Client1({ name: "sdk-1", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async () => ({ action: "accept", content: { ...state } }));
  client.setNotificationHandler(ToolListChangedNotificationSchema, tell);
  const stdio = "command" in reach ? new Stdio1({ ...reach, stderr: "ignore" }) : undefined;
  const http = "url" in reach ? new Http1(reach.url, { requestInit: { headers: reach.headers } }) : undefined;
  // The library's own type of a transport does not allow an absent session under exactOptionalPropertyTypes.
  await client.connect((stdio ?? http) as Parameters<Client1["connect"]>[0]);
  return {
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args) => textOf(client.callTool({ name, arguments: args })),
    pid: () => stdio?.pid,
    close: () => client.close(),
  };
}

async function connect2(sdk: SdkName, reach: Reach, state: Decision, tell: () => void): Promise<Connected> {
  const client = new Client2(
    { name: "sdk-2", version: "1" },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: sdk.endsWith("2026-07-28") ? { pin: "2026-07-28" } : "legacy" },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: tell } },
    },
  );
  client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: { ...state } }));
  const stdio = "command" in reach ? new Stdio2({ ...reach, stderr: "ignore" }) : undefined;
  const http = "url" in reach ? new Http2(reach.url, { requestInit: { headers: reach.headers } }) : undefined;
  const transport = stdio ?? http;
  if (transport === undefined) throw new Error("no transport");
  await client.connect(transport);
  return {
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args) => textOf(client.callTool({ name, arguments: args })),
    pid: () => stdio?.pid,
    close: () => client.close(),
  };
}

/** Contract: never rejects; an error of the library is told in its words. */
async function textOf(answer: Promise<unknown>): Promise<string> {
  try {
    const { content } = (await answer) as { content: { readonly text?: string }[] };
    return content.map(({ text }) => text ?? "").join("\n");
  } catch (error) {
    return `thrown: ${String(error)}`;
  }
}

async function startHttp(
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ url: URL; headers: Record<string, string>; pid: number | undefined; stop: () => Promise<void> }> {
  const child = spawn(process.execPath, [...args, "--http"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...env },
  });
  const { address: url, headers } = await whereItServes(child);
  return {
    url,
    headers: { ...headers },
    pid: child.pid,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}
