/// <reference types="node" preserve="true" />
import type { Readable, Writable } from "node:stream";
import { messageOf } from "@ikigai/core";
import type { Server } from "@modelcontextprotocol/server";
import { attendServer } from "../attend-server.ts";
import { createScope } from "../connection.ts";
import { type GuardedStdout, guardStdout } from "./guard-stdout.ts";
import type { McpServer } from "../mcp-server.ts";
import { loadSdk } from "../sdk.ts";
import { createStdioTransport } from "./stdio-transport.ts";

export interface ServeStdioOptions {
  /** Default: standard input. */
  readonly input?: Readable;
  /** Default: standard output, taken away from everybody else meanwhile. */
  readonly output?: Writable;
  /** Bytes that a frame from the client may have. Default 10 MiB. */
  readonly maxFrameSize?: number;
}

export interface StdioServing {
  /** Resolves when the client is gone or `close` was called. Never rejects. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

const MAX_FRAME_SIZE = 10 * 1024 * 1024;

/**
 * Serves one client over a pair of streams.
 *
 * Contract: only frames reach the output. A faulty frame ends that request and nothing else. When the client is gone,
 * calls that run are cancelled and `closed` resolves; the caller decides whether the process ends.
 */
export async function serveStdio(mcp: McpServer, options: ServeStdioOptions = {}): Promise<StdioServing> {
  const guard = options.output === undefined ? guardStdout() : undefined;
  const [sdk, stdio] = await Promise.all([loadSdk(), import("@modelcontextprotocol/server/stdio")]);
  const parked = mcp.park();
  const scope = createScope(crypto.randomUUID(), parked, true);
  let modern: Server | undefined;
  let watching: Disposable | undefined;
  const transport = createStdioTransport({
    input: options.input ?? process.stdin,
    output: options.output ?? (guard as GuardedStdout).output,
    maxFrameSize: options.maxFrameSize ?? MAX_FRAME_SIZE,
    parse: sdk.parseJSONRPCMessage,
    // The library's own handler keeps the subscriptions and filters by them; this only starts the watching.
    onReceive(message) {
      if (!("method" in message) || message.method !== "subscriptions/listen") return;
      watching ??= mcp.updates.listen((uri) => void modern?.sendResourceUpdated({ uri }).catch(() => {}));
    },
  });
  const handle = stdio.serveStdio(
    async ({ era }) => {
      const server = await mcp.open(era, scope);
      if (era === "modern") modern = server;
      attendServer(mcp, server, era, () => {});
      return server;
    },
    { transport, onerror: (error) => mcp.report("warning", messageOf(error)) },
  );
  const { onclose } = transport;
  const closed = new Promise<void>((resolve) => {
    const end = (): void => {
      onclose?.();
      watching?.[Symbol.dispose]();
      parked[Symbol.dispose]();
      guard?.[Symbol.dispose]();
      resolve();
    };
    Object.assign(transport, { onclose: end });
  });
  return { closed, close: () => handle.close() };
}
