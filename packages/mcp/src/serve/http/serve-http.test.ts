import { request as httpRequest } from "node:http";
import { defineTool } from "@ikigai/core";
import type { Client } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { fixtureRegistry, fixtureSources } from "../../../fixtures/registry.mjs";
import { connectHttp, ERAS, eventually } from "../../testing/harness.ts";
import { createMcpApprovals } from "../tools/approvals.ts";
import { createMcpServer, type McpServer } from "../mcp-server.ts";
import { type HttpServing, serveHttp } from "./serve-http.ts";
import { sourceResources } from "../resources/source-resources.ts";
import { ENVELOPE_KEY } from "../tools/tool-result.ts";

let mcp: McpServer;
let serving: HttpServing;
let fixture: ReturnType<typeof fixtureRegistry>;
let memory: Awaited<ReturnType<typeof fixtureSources>>;

beforeEach(async () => {
  const approvals = createMcpApprovals();
  fixture = fixtureRegistry({ approver: approvals.approver });
  memory = await fixtureSources({ "a.md": "# A" });
  mcp = createMcpServer({ registry: fixture.registry, approvals, resources: sourceResources(memory) });
  serving = await serveHttp(mcp, { maxSessions: 3, maxBodySize: 100_000 });
});
afterEach(async () => {
  await serving.close();
  mcp.close();
});

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers: Record<string, unknown>;
}

/** `fetch` sets Host and Origin by itself, so this does not use it. */
function send(headers: Record<string, string>, body: string, method = "POST", path = "/mcp"): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: "127.0.0.1", port: serving.port, path, method, headers }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }));
    });
    request.on("error", reject);
    request.end(body);
  });
}

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
});
const list = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" });

function head(extra: Record<string, string> = {}): Record<string, string> {
  return {
    authorization: `Bearer ${serving.token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...extra,
  };
}

async function data(client: Client, name: string, args: Record<string, unknown> = {}): Promise<unknown> {
  const { _meta } = await client.callTool({ name, arguments: args, _meta: { [ENVELOPE_KEY]: true } });
  return (_meta?.[ENVELOPE_KEY] as { data: unknown } | undefined)?.data;
}

describe.each(ERAS)("over HTTP in %s", (era) => {
  test("the official client lists and calls tools", async () => {
    const client = await connectHttp(serving, { era });
    expect(client.getNegotiatedProtocolVersion()).toBe(era);
    expect((await client.listTools()).tools).toHaveLength(11);
    expect(await data(client, "echo", { text: "hi" })).toMatchObject({ text: "hi" });
    expect((await client.readResource({ uri: "memory:///a.md" })).contents).toMatchObject([{ text: "# A" }]);
    await client.close();
  });

  test("approval works, twice in one call", async () => {
    const forms: string[] = [];
    const client = await connectHttp(serving, {
      era,
      onForm: (message) => {
        forms.push(message);
        return { action: "accept", decision: "allow" };
      },
    });
    expect(await data(client, "ask_twice")).toEqual({ done: true });
    expect(forms).toHaveLength(2);
    await client.close();
  });

  test("progress arrives and a cancelled call stops", async () => {
    const client = await connectHttp(serving, { era });
    const controller = new AbortController();
    const calling = client.callTool(
      { name: "slow", arguments: {} },
      { signal: controller.signal, onprogress: () => controller.abort() },
    );
    await expect(calling).rejects.toThrow("abort");
    await eventually(() => fixture.state.cancelled === 1);
    await client.close();
  });

  test("changes are announced", async () => {
    let changed = 0;
    const client = await connectHttp(serving, {
      era,
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void changed++ } },
    });
    await eventually(async () => {
      await data(client, "grow", { name: `later_${changed}_${Math.floor(performance.now())}` });
      return changed > 0;
    });
    await client.close();
  });
});

test("a session of 2025 is one conversation, and two are two", async () => {
  const clients = [await connectHttp(serving), await connectHttp(serving)];
  for (const client of clients) {
    await data(client, "echo", { text: "a" });
    await data(client, "echo", { text: "b" });
  }
  expect(fixture.state.conversations.size).toBe(2);
  for (const client of clients) await client.close();
});

test("requests of 2026 are one conversation per client, unless they name one", async () => {
  const plain = await connectHttp(serving, { era: "2026-07-28" });
  await data(plain, "echo", { text: "a" });
  await data(plain, "echo", { text: "b" });
  expect(fixture.state.conversations.size).toBe(1);
  const other = await connectHttp(serving, { era: "2026-07-28", name: "other" });
  await data(other, "echo", { text: "a" });
  expect(fixture.state.conversations.size).toBe(2);
  await other.close();
  const named = await connectHttp(serving, { era: "2026-07-28", headers: { "ikigai-conversation": "mine" } });
  await data(named, "echo", { text: "a" });
  await data(named, "echo", { text: "b" });
  expect([...fixture.state.conversations]).toContain("http-mine");
  expect(fixture.state.conversations.size).toBe(3);
  await plain.close();
  await named.close();
});

interface OpenStream {
  readonly status: number;
  readonly events: string[];
  hasEnded(): boolean;
  drop(): void;
}

/** Opens a stream of events. Contract: resolves with its head, before anything came. */
function openStream(headers: Record<string, string>, method = "GET", body = ""): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: "127.0.0.1", port: serving.port, path: "/mcp", method, headers },
      (response) => {
        const events: string[] = [];
        let ended = false;
        response.on("end", () => (ended = true));
        response.on("data", (chunk: Buffer) => events.push(chunk.toString()));
        response.on("error", () => {});
        resolve({ status: response.statusCode ?? 0, events, hasEnded: () => ended, drop: () => request.destroy() });
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

/** A tool that answers when the test says so. */
function registerWaiting(): { release?: () => void } {
  const waiting: { release?: () => void } = {};
  fixture.registry.register([
    defineTool({
      name: "wait_for_release",
      description: "Answers when the test says so.",
      input: z.object({}),
      effects: () => [],
      run: async () => {
        await new Promise<void>((resolve) => (waiting.release = resolve));
        return "released";
      },
    }),
  ]);
  return waiting;
}

async function beginSession(): Promise<Record<string, string>> {
  const { headers } = await send(head(), initialize);
  return head({ "mcp-session-id": String(headers["mcp-session-id"]), "mcp-protocol-version": "2025-11-25" });
}

test("a stream answers its head at once, and one that was dropped makes room for the next", async () => {
  const session = await beginSession();
  const stream = await openStream(session);
  expect([stream.status, stream.events]).toEqual([200, []]);
  expect((await openStream(session)).status).toBe(409);
  stream.drop();
  let again: OpenStream | undefined;
  await eventually(async () => (again = await openStream(session)).status === 200);
  again?.drop();
});

test("a client whose stream broke during a call gets the result by the last event that it has", async () => {
  const session = await beginSession();
  const waiting = registerWaiting();
  const params = { name: "wait_for_release", arguments: {} };
  const call = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params });
  const stream = await openStream(session, "POST", call);
  await eventually(() => stream.events.length > 0);
  const last = /^id: (\S+)$/m.exec(stream.events.join(""))?.[1] ?? "";
  expect(last).not.toBe("");
  stream.drop();
  await eventually(() => waiting.release !== undefined);
  let resumed: OpenStream | undefined;
  await eventually(async () => (resumed = await openStream({ ...session, "last-event-id": last })).status === 200);
  waiting.release?.();
  await eventually(() => resumed?.events.join("").includes("released") === true);
  expect(resumed?.events.join("")).toMatch(/^id: \S+$/m);
  expect((await openStream({ ...session, "last-event-id": "made-up" })).status).toBe(400);
});

test("the stream of a long call is closed where that is wanted, and the result is had by its last event", async () => {
  const polled = createMcpServer({ registry: fixture.registry, pollAfterMs: 10 });
  await serving.close();
  serving = await serveHttp(polled);
  const waiting = registerWaiting();
  const session = await beginSession();
  const params = { name: "wait_for_release", arguments: {} };
  const call = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params });
  const stream = await openStream(session, "POST", call);
  await eventually(() => stream.hasEnded());
  const last = /^id: (\S+)$/m.exec(stream.events.join(""))?.[1] ?? "";
  const resumed = await openStream({ ...session, "last-event-id": last });
  expect(resumed.status).toBe(200);
  waiting.release?.();
  await eventually(() => resumed.events.join("").includes("released"));
  polled.close();
});

test("a subscriber of 2026 hears updates, and nothing is watched without one", async () => {
  const client = await connectHttp(serving, { era: "2026-07-28" });
  const updated: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void updated.push(params.uri));
  expect(memory.watchers.size).toBe(0);
  const [first, second] = [
    await client.listen({ resourceSubscriptions: ["memory:///a.md"] }),
    await client.listen({ resourceSubscriptions: ["memory:///a.md"] }),
  ];
  await eventually(() => memory.watchers.size === 1);
  memory.write("a.md", "# B");
  await eventually(() => updated.length > 0);
  await first.close();
  await second.close();
  await eventually(() => memory.watchers.size === 0);
  await client.close();
});

test("a foreign Host, a foreign Origin, another path and a missing or wrong token are refused", async () => {
  expect((await send(head(), initialize)).status).toBe(200);
  for (const [extra, status] of [
    [{ host: "evil.example" }, 403],
    [{ host: "evil.example:80@localhost" }, 403],
    [{ origin: "http://evil.example" }, 403],
    [{ origin: "null" }, 403],
    [{ origin: "http://localhost.evil.example" }, 403],
    [{ authorization: "" }, 401],
    [{ authorization: "Bearer wrong" }, 401],
    [{ authorization: `Basic ${serving.token}` }, 401],
  ] as const) {
    expect(await send(head(extra), initialize)).toMatchObject({ status });
  }
  expect(await send(head(), initialize, "POST", "/other")).toMatchObject({ status: 404 });
  expect(await send(head({ origin: "http://localhost:1234" }), initialize)).toMatchObject({ status: 200 });
  expect((await send(head({ authorization: "" }), initialize)).headers).toMatchObject({ "www-authenticate": "Bearer" });
});

test("200 calls at once are all answered", async () => {
  const { headers } = await send(head(), initialize);
  const session = head({ "mcp-session-id": String(headers["mcp-session-id"]) });
  const calls = Array.from({ length: 200 }, (_, id) => {
    const params = { name: "set_value", arguments: { key: `k${id}`, value: "v" } };
    return send(session, JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }));
  });
  const replies = await Promise.all(calls);
  expect(replies.filter(({ status, body }) => status === 200 && body.includes('"text":"keys: '))).toHaveLength(200);
  expect(fixture.state.values.size).toBe(200);
});

test("a stolen session id is worth nothing without the token", async () => {
  const { headers } = await send(head(), initialize);
  const session = { "mcp-session-id": String(headers["mcp-session-id"]) };
  expect((await send(head(session), list)).body).toContain("echo");
  expect(await send(head({ ...session, authorization: "Bearer guess" }), list)).toMatchObject({ status: 401 });
  for (const method of ["GET", "DELETE"]) {
    expect(await send({ ...session, accept: "text/event-stream" }, "", method)).toMatchObject({ status: 401 });
  }
  expect((await send(head(session), list)).status).toBe(200);
  expect(await send(head({ "mcp-session-id": "made-up" }), list)).toMatchObject({ status: 404 });
  expect((await send(head(session), "", "DELETE")).status).toBe(200);
  expect(await send(head(session), list)).toMatchObject({ status: 404 });
});

test("a body that is too large, no JSON, of another type or without a session is refused, and the server lives", async () => {
  expect(await send(head(), `{"x":"${"x".repeat(200_000)}"}`)).toMatchObject({ status: 413 });
  const chunked = await send(head({ "transfer-encoding": "chunked" }), "x".repeat(200_000));
  expect(chunked).toMatchObject({ status: 413 });
  expect(await send(head(), '{"jsonrpc":')).toMatchObject({ status: 400 });
  expect(await send(head({ "content-type": "text/plain" }), initialize)).toMatchObject({ status: 415 });
  expect(await send(head(), list)).toMatchObject({ status: 400 });
  expect(await send(head(), "", "PUT")).toMatchObject({ status: 405 });
  expect((await send(head(), initialize)).status).toBe(200);
});

test("a client that leaves in the middle of its request harms nobody", async () => {
  const request = httpRequest({ host: "127.0.0.1", port: serving.port, path: "/mcp", method: "POST", headers: head() });
  request.on("error", () => {});
  request.write('{"half":');
  await new Promise((resolve) => request.once("socket", (socket) => socket.once("connect", resolve)));
  request.destroy();
  expect((await send(head(), initialize)).status).toBe(200);
});

test("the session that was idle longest makes room for a new one", async () => {
  const sessions: string[] = [];
  for (let index = 0; index < 3; index++) {
    sessions.push(String((await send(head(), initialize)).headers["mcp-session-id"]));
  }
  const use = (id: string | undefined): Promise<Reply> => send(head({ "mcp-session-id": id ?? "" }), list);
  expect((await use(sessions[0])).status).toBe(200);
  await send(head(), initialize);
  expect((await use(sessions[1])).status).toBe(404);
  expect((await use(sessions[0])).status).toBe(200);
});

test("a token must be long, and a taken port is an error that names it", async () => {
  await expect(serveHttp(mcp, { token: "short" })).rejects.toMatchObject({ code: "invalid_input" });
  await expect(serveHttp(mcp, { port: serving.port })).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining(String(serving.port)) as string,
  });
  const own = await serveHttp(mcp, { token: "0123456789abcdef", host: "localhost" });
  expect(own.token).toBe("0123456789abcdef");
  await own.close();
});
