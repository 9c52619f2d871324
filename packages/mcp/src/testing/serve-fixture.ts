import type { Envelope } from "@ikigai/core";
import type { Client } from "@modelcontextprotocol/client";
import { fixtureRegistry } from "../../fixtures/registry.mjs";
import { createMcpApprovals } from "../serve/tools/approvals.ts";
import { createMcpServer, type McpServer } from "../serve/mcp-server.ts";
import type { McpServerOptions } from "../serve/server-options.ts";
import { ENVELOPE_KEY } from "../serve/tools/tool-result.ts";
import { connectStreams, type TestClientOptions } from "./harness.ts";

const opened: { client: Client; mcp: McpServer }[] = [];
/** Ends everything that `serve` began. */
export async function endAll(): Promise<void> {
  for (const { client, mcp } of opened.splice(0)) {
    await client.close();
    mcp.close();
  }
}

export interface Served extends Awaited<ReturnType<typeof connectStreams>>, ReturnType<typeof fixtureRegistry> {
  readonly mcp: McpServer;
}

/** The fixture's registry, served to a client. */
export async function serve(
  clientOptions: TestClientOptions,
  options: Partial<McpServerOptions> & { readonly mode?: "edits" | "none" } = {},
): Promise<Served> {
  const approvals = createMcpApprovals();
  const fixture = fixtureRegistry({ approver: approvals.approver, mode: options.mode ?? "edits" });
  const mcp = createMcpServer({ registry: fixture.registry, approvals, ...options });
  const connected = await connectStreams(mcp, clientOptions);
  opened.push({ client: connected.client, mcp });
  return { ...fixture, ...connected, mcp };
}

export interface Answer {
  readonly isError?: boolean;
  /** What the registry answered. */
  readonly envelope: Envelope;
  readonly structuredContent?: Record<string, unknown>;
  readonly text: string;
}

/** What a tool answered, in the parts that tests look at. */
export async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Answer> {
  const result = await client.callTool({ name, arguments: args, _meta: { [ENVELOPE_KEY]: true } });
  const [first] = result.content;
  return {
    ...(result.isError !== undefined && { isError: result.isError }),
    envelope: result._meta?.[ENVELOPE_KEY] as Envelope,
    ...(result.structuredContent !== undefined && {
      structuredContent: result.structuredContent as Record<string, unknown>,
    }),
    text: first?.type === "text" ? first.text : "",
  };
}
