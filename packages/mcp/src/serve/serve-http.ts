import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from "node:http";
import { randomBytes } from "node:crypto";
import { IkigaiError, messageOf } from "@ikigai/core";
import { type ConnectionScope, createScope } from "./connection.ts";
import { readHttpBody } from "./http-body.ts";
import { createHttpGuard, type HttpRefusal } from "./http-guard.ts";
import { createHttpSessions } from "./http-sessions.ts";
import type { McpServer } from "./mcp-server.ts";
import { loadSdk } from "./sdk.ts";
import { watchedBus } from "./watched-bus.ts";

export interface ServeHttpOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** A loopback address. Default `127.0.0.1`. */
  readonly host?: "127.0.0.1" | "::1" | "localhost";
  /** What clients must present. At least 16 characters. Default: a new random one. */
  readonly token?: string;
  /** Bytes that a request's body may have. Default 10 MiB. */
  readonly maxBodySize?: number;
  /** Sessions of the 2025 generation at once. Default 1,000. */
  readonly maxSessions?: number;
}

export interface HttpServing {
  readonly url: string;
  readonly token: string;
  readonly port: number;
  close(): Promise<void>;
}

const PATH = "/mcp";
const HOSTS = ["localhost", "127.0.0.1", "[::1]"];
const MAX_BODY_SIZE = 10 * 1024 * 1024;
const MAX_SESSIONS = 1_000;
const KEEP_ALIVE_MS = 75_000;
/** Connections that may wait to be accepted. */
const BACKLOG = 4_096;
const MIN_TOKEN = 16;
const CONVERSATION = /^[\w.-]{1,64}$/;

/** The header by which a client of the 2026 generation, which has no sessions, keeps one conversation together. */
const CONVERSATION_HEADER = "ikigai-conversation";

/**
 * Serves clients over streamable HTTP on this machine.
 *
 * Contract: every request needs the token and a local `Host` and `Origin`, so an overheard session id is worth nothing.
 * A session of the 2025 generation is one conversation; a request of the 2026 generation is one by itself, unless it
 * names its conversation.
 */
export async function serveHttp(mcp: McpServer, options: ServeHttpOptions = {}): Promise<HttpServing> {
  const token = options.token ?? randomBytes(32).toString("base64url");
  assertToken(token);
  const [sdk, node] = await Promise.all([loadSdk(), import("@modelcontextprotocol/node")]);
  const maxBodySize = options.maxBodySize ?? MAX_BODY_SIZE;
  const refusalOf = createHttpGuard({ token, path: PATH, hosts: HOSTS });
  const sessions = createHttpSessions(mcp, { maxSessions: options.maxSessions ?? MAX_SESSIONS });
  const parked = mcp.park();
  const bus = watchedBus(new sdk.InMemoryServerEventBus(), mcp.updates);
  const modern = sdk.createMcpHandler(({ requestInfo }) => mcp.open("modern", modernScope(requestInfo, parked)), {
    legacy: "reject",
    bus,
    maxRequestBodySize: maxBodySize,
    onerror: (error) => mcp.report("debug", messageOf(error)),
  });
  const attending = mcp.attend(modern.notify);
  const serve = node.toNodeHandler(
    {
      async fetch(request, given) {
        const body: unknown = given?.parsedBody;
        const isJson = request.method !== "POST" || sdk.isJsonContentType(request.headers.get("content-type"));
        const legacy = isJson && (await sdk.isLegacyRequest(request, body));
        return legacy ? sessions.fetch(request, body) : modern.fetch(request, given);
      },
    },
    { onerror: (error) => mcp.report("warning", messageOf(error)) },
  );

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(request);
    if (refusal !== undefined) return refuse(request, response, refusal);
    const body = await readHttpBody(request, maxBodySize);
    if (body.refusal !== undefined) return refuse(request, response, body.refusal);
    return serve(request as Parameters<typeof serve>[0], response, body.value);
  }

  const http = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      mcp.report("debug", `A request was not served: ${messageOf(error)}`);
      response.destroy();
    });
  });
  // A client must not find a connection closed that it was about to use again.
  http.keepAliveTimeout = KEEP_ALIVE_MS;
  const host = options.host ?? "127.0.0.1";
  const port = await listen(http, options.port ?? 0, host);
  return {
    port,
    token,
    url: `http://${host === "::1" ? "[::1]" : host}:${port}${PATH}`,
    async close() {
      attending[Symbol.dispose]();
      parked[Symbol.dispose]();
      await Promise.all([sessions.close(), modern.close()]);
      const closed = new Promise<void>((resolve) => http.close(() => resolve()));
      http.closeAllConnections();
      await closed;
    },
  };
}

function modernScope(request: Request | undefined, parked: ConnectionScope["parked"]): ConnectionScope {
  const named = request?.headers.get(CONVERSATION_HEADER) ?? "";
  const conversation = CONVERSATION.test(named) ? `http-${named}` : crypto.randomUUID();
  return createScope(conversation, parked, false);
}

function refuse(request: IncomingMessage, response: ServerResponse, refusal: HttpRefusal): void {
  const { status, message, headers, code = -32_000 } = refusal;
  // What was not let in is not read either.
  response.writeHead(status, { ...headers, "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } }));
  request.resume();
}

function listen(http: HttpServer, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    http.once("error", (cause) => {
      reject(new IkigaiError("unavailable", `Cannot listen on ${host}:${port}: ${messageOf(cause)}`, { cause }));
    });
    http.listen(port, host, BACKLOG, () => {
      const address = http.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

function assertToken(token: string): void {
  if (token.length >= MIN_TOKEN && /^[\x21-\x7e]+$/.test(token)) return;
  throw new IkigaiError("invalid_input", `The token must be at least ${MIN_TOKEN} printable characters without spaces`);
}
