import type { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { attendServer } from "../attend-server.ts";
import { createScope } from "../connection.ts";
import { createEventLog } from "./event-log.ts";
import type { McpServer } from "../mcp-server.ts";
import { loadSdk } from "../sdk.ts";

/** Clients of the 2025 generation: each begins a session and names it in every further request. */
export interface HttpSessions {
  fetch(request: Request, body: unknown): Promise<Response>;
  close(): Promise<void>;
}

export interface HttpSessionsOptions {
  /** Sessions at once; the one that was idle longest makes room. */
  readonly maxSessions: number;
}

/** Milliseconds after which a client whose stream broke should come back. */
const RETRY_MS = 1_000;

/**
 * Contract: an unknown session is 404, which makes a client begin a new one. Every event of a stream has an id, behind
 * which a client goes on after its connection broke, as long as the event is known.
 */
export function createHttpSessions(mcp: McpServer, { maxSessions }: HttpSessionsOptions): HttpSessions {
  const events = createEventLog();
  // Kept in the order of their last use.
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

  async function begin(): Promise<WebStandardStreamableHTTPServerTransport> {
    const sdk = await loadSdk();
    const parked = mcp.park();
    const eventStore = events.open();
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      eventStore,
      retryInterval: RETRY_MS,
      onsessioninitialized: (id) => {
        sessions.set(id, transport);
        const [oldest] = sessions;
        if (sessions.size > maxSessions && oldest !== undefined) void oldest[1].close();
      },
    });
    const server = await mcp.open("legacy", createScope(crypto.randomUUID(), parked, true));
    attendServer(mcp, server, "legacy", () => {
      parked[Symbol.dispose]();
      eventStore[Symbol.dispose]();
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
    });
    await server.connect(transport);
    return transport;
  }

  return {
    async fetch(request, parsedBody) {
      const id = request.headers.get("mcp-session-id");
      const known = id === null ? undefined : sessions.get(id);
      if (id !== null && known === undefined) return notFound();
      if (id !== null && known !== undefined) {
        sessions.delete(id);
        sessions.set(id, known);
      }
      const transport = known ?? (await begin());
      const response = await transport.handleRequest(request, { parsedBody });
      // A first request that began no session leaves nothing behind.
      if (transport.sessionId === undefined) await transport.close();
      return response;
    },
    async close() {
      await Promise.all([...sessions.values()].map((transport) => transport.close()));
    },
  };
}

function notFound(): Response {
  const error = { code: -32_001, message: "No such session" };
  return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 404 });
}
