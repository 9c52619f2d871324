import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fixtureRegistry } from "../../../fixtures/registry.mjs";
import { connectStreams, ERAS } from "../../testing/harness.ts";
import { guardStdout } from "./guard-stdout.ts";
import { createMcpServer } from "../mcp-server.ts";
import { serveStdio } from "./serve-stdio.ts";

const server = fileURLToPath(new URL("../../../fixtures/server.mjs", import.meta.url));
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

interface Message {
  readonly id?: number | string;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A client that writes bytes, to see what a faulty one does. */
class RawClient {
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly lines: string[] = [];
  readonly #waiting = new Set<(message: Message) => void>();
  stderr = "";

  constructor() {
    this.process = spawn(process.execPath, [server], { stdio: ["pipe", "pipe", "pipe"] });
    createInterface({ input: this.process.stdout }).on("line", (line) => {
      this.lines.push(line);
      const message = JSON.parse(line) as Message;
      for (const hear of this.#waiting) hear(message);
    });
    this.process.stderr.on("data", (chunk: Buffer) => (this.stderr += chunk.toString()));
  }

  write(value: unknown): void {
    this.process.stdin.write(typeof value === "string" ? value : `${JSON.stringify(value)}\n`);
  }

  /** The next message that `check` holds for. */
  find(check: (message: Message) => boolean): Promise<Message> {
    return new Promise((resolve) => {
      const hear = (message: Message): void => {
        if (!check(message)) return;
        this.#waiting.delete(hear);
        resolve(message);
      };
      this.#waiting.add(hear);
    });
  }

  echo(id: number): Promise<Message> {
    this.write({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "echo", arguments: { text: "hi" } } });
    return this.find((message) => message.id === id);
  }
}

describe("a server in a process of its own", () => {
  let raw: RawClient;
  beforeEach(async () => {
    raw = new RawClient();
    raw.write(INITIALIZE);
    await raw.find(({ id }) => id === 0);
    raw.write({ jsonrpc: "2.0", method: "notifications/initialized" });
  });
  afterEach(() => void raw.process.kill());

  test("answers a frame of 11 MiB with an error for that request, and serves the next", async () => {
    const text = "x".repeat(11 * 1024 * 1024);
    raw.write({ method: "tools/call", params: { name: "echo", arguments: { text } }, jsonrpc: "2.0", id: 5 });
    const { error } = await raw.find(({ id }) => id === 5);
    expect(error).toMatchObject({ code: -32_600, data: { error_type: "invalid_input", limit: 10 * 1024 * 1024 } });
    expect(await raw.echo(6)).toMatchObject({ result: { content: [{ text: expect.stringContaining("text: hi") }] } });
  });

  test("answers half a frame, bad JSON and what is no message, and serves the next", async () => {
    raw.write('{"jsonrpc":"2.0","id":7,"method":"tools/call","par\n');
    expect(await raw.find(({ error }) => error?.code === -32_700)).not.toHaveProperty("id");
    raw.write('{"id":8,"hello":1}\n');
    expect(await raw.find(({ id }) => id === 8)).toMatchObject({ error: { code: -32_600 } });
    raw.write(`${"[".repeat(200_000)}\n[]\nnull\n\n`);
    expect(await raw.echo(9)).toMatchObject({ result: { content: [{ text: expect.stringContaining("text: hi") }] } });
  });

  test("keeps its output for frames, whatever a plugin prints", async () => {
    raw.write({ jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "print", arguments: {} } });
    expect(await raw.find(({ id }) => id === 3)).toMatchObject({ result: { content: [{ text: "printed: true" }] } });
    expect(raw.lines).toHaveLength(2);
    await expect.poll(() => raw.stderr).toContain("a careless line");
  });

  test("answers 1,000 calls at once", async () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => index + 10);
    const answers = await Promise.all(ids.map((id) => raw.echo(id)));
    expect(answers.every(({ result }) => result !== undefined)).toBe(true);
    expect(raw.lines).toHaveLength(1_001);
  }, 60_000);

  test("ends cleanly when its client is gone, also in the middle of a frame and of a call", async () => {
    raw.write({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "slow", arguments: {} } });
    raw.write('{"half":');
    raw.process.stdin.end();
    const [code] = (await once(raw.process, "exit")) as [number];
    expect(code).toBe(0);
    expect(raw.stderr).toContain("the client is gone");
  });

  test("ends when nobody reads its answers any more", async () => {
    raw.process.stdout.destroy();
    raw.write({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    raw.write({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    const [code] = (await once(raw.process, "exit")) as [number];
    expect(code).toBe(0);
  });
});

test.each(ERAS)("the official client starts it and calls it in %s", async (era) => {
  const client = new Client(
    { name: "official", version: "1" },
    { versionNegotiation: { mode: era === "2025-11-25" ? "legacy" : "auto" } },
  );
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [server], stderr: "ignore" }));
  expect(client.getNegotiatedProtocolVersion()).toBe(era);
  const result = await client.callTool({ name: "echo", arguments: { text: "hi" } });
  expect(result.content).toMatchObject([{ type: "text", text: expect.stringContaining("text: hi") }]);
  await client.close();
});

test("standard output is given back when the stdio server closes", async () => {
  const stdout = Object.assign(new PassThrough(), { fd: 1 }) as unknown as NodeJS.WriteStream;
  const { output, ...guard } = guardStdout(stdout);
  expect(stdout.end("ignored")).toBe(stdout);
  output.write("frame");
  expect(String(await once(stdout, "data"))).toBe("frame");
  const failed = once(output, "error");
  stdout.emit("error", new Error("gone"));
  expect(await failed).toMatchObject([{ message: "gone" }]);
  guard[Symbol.dispose]();
  stdout.write("plain");
  expect(String(stdout.read())).toBe("plain");
});

test("a client that was gone before it came is served no longer", async () => {
  const input = new PassThrough();
  input.destroy();
  const mcp = createMcpServer({ registry: fixtureRegistry().registry });
  const { closed } = await serveStdio(mcp, { input, output: new PassThrough() });
  await expect(closed).resolves.toBeUndefined();
  mcp.close();
});

test("closing the server closes the connection", async () => {
  const mcp = createMcpServer({ registry: fixtureRegistry().registry });
  const { client, serving } = await connectStreams(mcp);
  await serving.close();
  await expect(serving.closed).resolves.toBeUndefined();
  await client.close();
  mcp.close();
});
