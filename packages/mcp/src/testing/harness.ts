import { PassThrough } from "node:stream";
import {
  Client,
  type ClientOptions,
  parseJSONRPCMessage,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import type { McpServer } from "../serve/mcp-server.ts";
import type { HttpServing } from "../serve/http/serve-http.ts";
import { serveStdio, type ServeStdioOptions, type StdioServing } from "../serve/stdio/serve-stdio.ts";
import { createStdioTransport } from "../serve/stdio/stdio-transport.ts";

export type TestEra = "2025-11-25" | "2026-07-28";

export const ERAS: readonly TestEra[] = ["2025-11-25", "2026-07-28"];

export interface TestClientOptions extends ClientOptions {
  readonly era?: TestEra;
  readonly name?: string;
  /** Answers an elicitation; offers forms when present. */
  readonly onForm?: (message: string) => { action: "accept" | "decline" | "cancel"; decision?: string };
}

export function createClient({
  era = "2025-11-25",
  name = "test",
  onForm,
  ...options
}: TestClientOptions = {}): Client {
  const capabilities = { ...options.capabilities, ...(onForm !== undefined && { elicitation: { form: {} } }) };
  const client = new Client(
    { name, version: "1" },
    { ...options, capabilities, versionNegotiation: { mode: era === "2025-11-25" ? "legacy" : { pin: era } } },
  );
  if (onForm !== undefined) {
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      const { action, decision } = onForm(params.message);
      return { action, ...(decision !== undefined && { content: { decision } }) };
    });
  }
  return client;
}

/** A client and a server joined by two streams in this process. */
export async function connectStreams(
  mcp: McpServer,
  options: TestClientOptions & { readonly serve?: ServeStdioOptions } = {},
): Promise<{ client: Client; serving: StdioServing; toServer: PassThrough; fromServer: PassThrough }> {
  const toServer = new PassThrough();
  const fromServer = new PassThrough();
  const serving = await serveStdio(mcp, { input: toServer, output: fromServer, ...options.serve });
  const client = createClient(options);
  await client.connect(
    createStdioTransport({
      input: fromServer,
      output: toServer,
      maxFrameSize: 100_000_000,
      parse: parseJSONRPCMessage,
    }),
  );
  return { client, serving, toServer, fromServer };
}

export async function connectHttp(
  { url, token }: HttpServing,
  options: TestClientOptions & { readonly headers?: Record<string, string> } = {},
): Promise<Client> {
  const client = createClient(options);
  const headers = { authorization: `Bearer ${token}`, ...options.headers };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

/** Resolves once `check` holds, looking again after everything else had a turn. */
export async function eventually(check: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 2_000; turn++) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error("It did not happen");
}
