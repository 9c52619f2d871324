import type { Readable } from "node:stream";
import type { FormAnswer, FormRequest } from "@ikigai/core/host";
import { markedCommand, programFile, newMark, processTime, sweep } from "@ikigai/core/process";
import type { Client, Tool } from "@modelcontextprotocol/client";
import { createFrameReader } from "../serve/stdio/frame-reader.ts";
import type { ServerSpec } from "./server-spec.ts";

export interface ConnectOptions {
  /** Milliseconds that a connection may take. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
  readonly onPrint: (line: string) => void;
  readonly onToolsChanged: () => void;
  readonly onResourcesChanged: () => void;
  readonly onPromptsChanged: () => void;
  /** Puts a question of the server to a person. Absent: the server is told that nobody can be asked. */
  readonly askForm?: (request: FormRequest) => Promise<FormAnswer>;
}

export interface Connection {
  readonly client: Client;
  /** Resolves when the connection is gone, for whatever reason. What the server left running is ended then. */
  readonly closed: Promise<void>;
  /** Ends the connection and every process of the server. */
  close(): Promise<void>;
}

const CLIENT_INFO = { name: "ikigai", version: "0.1.0" };
const MAX_LINE = 2_000;
const MAX_PAGES = 50;

/** Contract: rejects when the server cannot be started or does not answer in time, and leaves no process behind. */
export async function connectClient(spec: ServerSpec, options: ConnectOptions): Promise<Connection> {
  const { askForm } = options;
  const [{ Client, StreamableHTTPClientTransport }, stdio] = await Promise.all([
    import("@modelcontextprotocol/client"),
    import("@modelcontextprotocol/client/stdio"),
  ]);
  const client = new Client(CLIENT_INFO, {
    capabilities: askForm === undefined ? {} : { elicitation: { form: { applyDefaults: true } } },
    listMaxPages: MAX_PAGES,
    // Probing a child process would start it twice.
    versionNegotiation: { mode: "command" in spec ? "legacy" : "auto" },
    listChanged: {
      tools: { autoRefresh: false, onChanged: options.onToolsChanged },
      resources: { autoRefresh: false, onChanged: options.onResourcesChanged },
      prompts: { autoRefresh: false, onChanged: options.onPromptsChanged },
    },
  });
  if (askForm !== undefined) {
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      // The other kind leads a person to an address, which is not passed on.
      if (!("requestedSchema" in params)) return { action: "cancel" };
      const { action, content } = await askForm({ message: params.message, schema: { ...params.requestedSchema } });
      return { action, ...(content !== undefined && { content: { ...content } as Record<string, string> }) };
    });
  }
  // Until the connection stands, an error is what connecting rejects with.
  let connected = false;
  const gone = new Promise<void>((resolve) => {
    Object.assign(client, { onclose: resolve, onerror: (error: Error) => connected && options.warn(error.message) });
  });
  let transport;
  let endRest = async (): Promise<void> => {};
  if ("command" in spec) {
    const { command, env = {}, cwd } = spec;
    const mark = newMark();
    const since = processTime();
    const where = { ...(env["PATH"] !== undefined && { path: env["PATH"] }), ...(cwd !== undefined && { cwd }) };
    const [file, args] = markedCommand(mark, programFile(command, where), spec.args ?? []);
    const params = { command: file, args: [...args], env: { ...env }, stderr: "pipe" as const };
    endRest = async () => {
      const left = mark === undefined ? [] : await sweep({ marks: [mark], since });
      if (left.length > 0) options.warn(`it left processes that could not be ended: ${left.join(", ")}`);
    };
    const started = new stdio.StdioClientTransport({ ...params, ...(cwd !== undefined && { cwd }) });
    if (started.stderr !== null) relay(started.stderr as Readable, options.onPrint);
    transport = started;
  } else {
    transport = new StreamableHTTPClientTransport(new URL(spec.url), {
      requestInit: { headers: { ...spec.headers } },
    });
  }
  try {
    await client.connect(transport, { timeout: options.timeoutMs, signal: options.signal });
    connected = true;
  } catch (error) {
    await client.close();
    await transport.close();
    await endRest();
    throw error;
  }
  // Processes that the server left running end with it: when it ends by itself, and when we close it.
  void gone.then(endRest);
  return {
    client,
    closed: gone,
    async close() {
      await client.close();
      await endRest();
    },
  };
}

/** All tools of a server, as they are now. */
export async function listForeignTools(client: Client, timeoutMs: number): Promise<readonly Tool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const { tools } = await client.listTools(undefined, { timeout: timeoutMs, cacheMode: "bypass" });
  return tools;
}

/** What the server prints, line by line. A line of any length costs bounded memory. */
function relay(stream: Readable, print: (line: string) => void): void {
  const { push } = createFrameReader(MAX_LINE, (line) => {
    print(line.kind === "text" ? line.text : `printed a line of ${line.bytes} bytes`);
  });
  stream.on("data", push);
}
