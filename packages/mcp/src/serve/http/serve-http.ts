import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from "node:http";
import { randomBytes } from "node:crypto";
import { IkigaiError, messageOf } from "@ikigai/core";
import { createScope } from "../connection.ts";
import { readHttpBody } from "./http-body.ts";
import { conversationOf } from "./http-conversation.ts";
import { createHttpGuard, type HttpRefusal } from "./http-guard.ts";
import { sendHttpResponse } from "./http-response.ts";
import { createHttpSessions } from "./http-sessions.ts";
import type { McpServer } from "../mcp-server.ts";
import { loadSdk } from "../sdk.ts";
import { watchedBus } from "../resources/watched-bus.ts";

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
const INTERNAL_ERROR = -32_603;

/**
 * Serves clients over streamable HTTP on this machine.
 *
 * Contract: every request needs the token and a local `Host` and `Origin`, so an overheard session id is worth nothing.
 * A session of the 2025 generation is one conversation. Requests of the 2026 generation, which has no sessions, belong
 * to the conversation that they name, and otherwise to that of all programs which call themselves the same.
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
  const bodies = new WeakMap<Request, unknown>();
  const modern = sdk.createMcpHandler(
    ({ requestInfo }) => {
      const { id, isShared } = conversationOf(requestInfo, requestInfo && bodies.get(requestInfo));
      return mcp.open("modern", createScope(id, parked, false, isShared));
    },
    {
      legacy: "reject",
      bus,
      maxRequestBodySize: maxBodySize,
      onerror: (error) => mcp.report("debug", messageOf(error)),
    },
  );
  const attending = mcp.attend(modern.notify);

  async function serve(request: Request, parsedBody: unknown): Promise<Response> {
    const isJson = request.method !== "POST" || sdk.isJsonContentType(request.headers.get("content-type"));
    if (isJson && (await sdk.isLegacyRequest(request, parsedBody))) return sessions.fetch(request, parsedBody);
    bodies.set(request, parsedBody);
    return modern.fetch(request, { ...(parsedBody !== undefined && { parsedBody }) });
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(request);
    if (refusal !== undefined) return refuse(request, response, refusal);
    const body = await readHttpBody(request, maxBodySize);
    if (body.refusal !== undefined) return refuse(request, response, body.refusal);
    const leaving = new AbortController();
    response.once("close", () => leaving.abort());
    if (response.destroyed) leaving.abort();
    const web = await node.toWebRequest(request as Parameters<typeof node.toWebRequest>[0], body.value, {
      signal: leaving.signal,
    });
    return sendHttpResponse(await serve(web, body.value), response);
  }

  const http = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      mcp.report("debug", `A request was not served: ${messageOf(error)}`);
      if (response.headersSent || response.destroyed) response.destroy();
      else refuse(request, response, { status: 500, message: "The request failed unexpectedly", code: INTERNAL_ERROR });
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

function refuse(request: IncomingMessage, response: ServerResponse, refusal: HttpRefusal): void {
  const { status, message, headers, code = -32_000 } = refusal;
  // The body of a refused request is not read.
  response.writeHead(status, { ...headers, "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } }));
  request.resume();
}

function listen(http: HttpServer, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    http.once("error", (cause) => {
      reject(
        new IkigaiError("unavailable", `Cannot listen on ${host}:${port}: ${messageOf(cause)}`, {
          cause,
          hint: "Choose another port with --port, or leave it out to get a free one.",
        }),
      );
    });
    http.listen(port, host, BACKLOG, () => {
      const address = http.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

function assertToken(token: string): void {
  if (token.length >= MIN_TOKEN && /^[\x21-\x7e]+$/.test(token)) return;
  throw new IkigaiError(
    "invalid_input",
    `The token must be at least ${MIN_TOKEN} printable characters without spaces`,
    { hint: "Set IKIGAI_MCP_TOKEN to a longer one, or leave it out to get one made." },
  );
}
