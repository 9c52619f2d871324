import { pathToFileURL } from "node:url";
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { PROGRAM } from "../../testing/program.ts";

/** For tests that start several processes. */
export const PROCESSES_MS = 90_000;

export interface OfficialClientOptions {
  /** Folders the client says that it works in, asked each time. Absent: it offers none. */
  readonly roots?: () => readonly { readonly uri: string }[];
  readonly cwd?: string;
  /** Variables besides the few that every program gets. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The official client on a server that is the built program. */
export async function connectOverStdio(args: readonly string[], options: OfficialClientOptions = {}): Promise<Client> {
  const { roots, cwd } = options;
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: roots === undefined ? {} : { roots: { listChanged: true } } },
  );
  if (roots !== undefined) client.setRequestHandler("roots/list", async () => ({ roots: [...roots()] }));
  const env = {
    XDG_CONFIG_HOME: process.env["XDG_CONFIG_HOME"] ?? "",
    XDG_CACHE_HOME: process.env["XDG_CACHE_HOME"] ?? "",
    ...options.env,
  };
  const command = { command: process.execPath, args: [PROGRAM, ...args], env, stderr: "ignore" as const };
  await client.connect(new StdioClientTransport({ ...command, ...(cwd !== undefined && { cwd }) }));
  return client;
}

/** An HTTP server that runs, with a client on it. */
export interface OverHttp extends AsyncDisposable {
  readonly client: Client;
  /** Of the server's process. */
  readonly pid: number;
  connect(options?: ClientOptions): Promise<Client>;
}

/** The official client on the built program's HTTP server, which ends with it. */
export async function connectOverHttp(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<OverHttp> {
  const env = { ...process.env, ...variables };
  const child = spawn(process.execPath, [PROGRAM, ...args, "--http"], { stdio: ["ignore", "ignore", "pipe"], env });
  const { address, headers } = await whereItServes(child);
  const connect = async (options: ClientOptions = {}): Promise<Client> => {
    const made = new Client({ name: "test-http", version: "1" }, options);
    await made.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
    return made;
  };
  const client = await connect();
  return {
    client,
    pid: child.pid ?? 0,
    connect,
    async [Symbol.asyncDispose]() {
      await client.close();
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

/** The key under which a request asks for the envelope, and the result brings it. */
const ENVELOPE = "ikigai/envelope";

/** What a call answered. Contract: the envelope, also of a failure. */
export async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown>,
  meta: Record<string, unknown> = {},
): Promise<{ success: boolean; data?: Record<string, unknown>; code?: string; error?: string }> {
  const asked = { name, arguments: args, _meta: { ...meta, [ENVELOPE]: true } };
  const { _meta } = await client.callTool(asked, { timeout: 120_000 });
  return _meta?.[ENVELOPE] as { success: boolean };
}

/** A program that speaks MCP over its standard streams. */
export interface ServerProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface ToProgramOptions {
  /** Whether the program serves HTTP and tells its address and token on standard error. Default: standard streams. */
  readonly http?: boolean;
  /** Folders that the client says it works in. Absent: it offers none. */
  readonly roots?: readonly string[];
}

/** A client on a program that runs. Contract: whoever connects closes, which ends the program. */
export interface ToProgram {
  readonly client: Client;
  readonly pid: () => number | null;
  close(): Promise<void>;
}

/** The official client on any program; whoever it asks answers with one of the offered decisions, or cancels. */
export async function connectToProgram(
  program: ServerProgram,
  answer: (message: string, decisions: readonly string[]) => string | undefined,
  { http = false, roots }: ToProgramOptions = {},
): Promise<ToProgram> {
  const offered = roots === undefined ? {} : { roots: { listChanged: true } };
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: { elicitation: { form: {} }, ...offered } },
  );
  if (roots !== undefined) {
    client.setRequestHandler("roots/list", async () => ({
      roots: roots.map((folder) => ({ uri: pathToFileURL(folder).href })),
    }));
  }
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    const { message, requestedSchema } = params as {
      message: string;
      requestedSchema?: { properties?: { decision?: { enum?: readonly string[] } } };
    };
    const decision = answer(message, requestedSchema?.properties?.decision?.enum ?? []);
    return decision === undefined ? { action: "cancel" } : { action: "accept", content: { decision } };
  });
  const { command, args, env, cwd } = program;
  if (!http) {
    const transport = new StdioClientTransport({ command, args: [...args], env: { ...env }, cwd, stderr: "ignore" });
    await client.connect(transport);
    return { client, pid: () => transport.pid, close: () => client.close() };
  }
  const child = spawn(command, [...args], { stdio: ["ignore", "ignore", "pipe"], env: { ...env }, cwd });
  const { address, headers } = await whereItServes(child);
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
  return {
    client,
    pid: () => child.pid ?? null,
    async close() {
      await client.close();
      child.kill("SIGTERM");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

/** What an HTTP server tells on standard error as it starts. */
export async function whereItServes(child: ChildProcessByStdio<null, null, Readable>): Promise<{
  readonly address: URL;
  readonly headers: Readonly<Record<string, string>>;
}> {
  const told: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    told.push(line);
    if (line.includes("token: ")) break;
  }
  child.stderr.resume();
  const find = (pattern: RegExp): string => {
    const found = pattern.exec(told.join("\n"))?.[1];
    if (found === undefined) throw new Error(`The server never said where it serves:\n${told.join("\n")}`);
    return found;
  };
  return {
    address: new URL(find(/at (http\S+)/)),
    headers: { authorization: `Bearer ${find(/token: (\S+)/)}` },
  };
}
