import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { createFrameReader, type Frame } from "./frame-reader.ts";

export interface StdioTransportOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Bytes a frame may have. */
  readonly maxFrameSize: number;
  /** Checks the shape of a message. Contract: throws for what is no JSON-RPC message. */
  readonly parse: (value: unknown) => JSONRPCMessage;
  /** Sees each message before it is served. */
  readonly onReceive?: (message: JSONRPCMessage) => void;
}

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/**
 * Lines of JSON over a pair of streams.
 *
 * Contract: a frame that is too long, not JSON or no message is answered with an error, with the request's id where it
 * has one, and the next frame is served as usual. The transport closes when either stream ends or fails.
 */
export function createStdioTransport(options: StdioTransportOptions): Transport {
  const { input, output, maxFrameSize, parse, onReceive } = options;
  const reader = createFrameReader(maxFrameSize, receive);
  let closed = false;

  const transport: Transport = {
    async start() {
      input.on("data", push);
      input.on("error", shut);
      input.on("end", shut);
      input.on("close", shut);
      output.on("error", shut);
      output.on("close", shut);
      if (input.readableEnded || input.destroyed) setImmediate(shut);
    },
    send: (message) => write(message),
    close: async () => shut(),
  };

  function push(chunk: Uint8Array): void {
    reader.push(chunk);
  }

  function shut(): void {
    if (closed) return;
    closed = true;
    input.off("data", push);
    input.pause();
    transport.onclose?.();
  }

  function receive(frame: Frame): void {
    if (closed) return;
    if (frame.kind === "oversized") {
      refuse(INVALID_REQUEST, `A frame of ${frame.bytes} bytes is more than ${maxFrameSize}`, frame.id, {
        error_type: "invalid_input",
        bytes: frame.bytes,
        limit: maxFrameSize,
      });
      return;
    }
    let value: unknown;
    try {
      value = JSON.parse(frame.text);
    } catch {
      refuse(PARSE_ERROR, `A frame of ${frame.text.length} characters is not JSON`, undefined);
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = parse(value);
    } catch {
      refuse(INVALID_REQUEST, "A frame is not a JSON-RPC message", idOf(value));
      return;
    }
    onReceive?.(message);
    transport.onmessage?.(message);
  }

  function refuse(code: number, message: string, id: string | number | undefined, data?: unknown): void {
    transport.onerror?.(new Error(message));
    const error = { code, message, ...(data !== undefined && { data }) };
    write({ jsonrpc: "2.0", ...(id !== undefined && { id }), error }).catch(shut);
  }

  function write(message: JSONRPCMessage): Promise<void> {
    if (closed) return Promise.reject(new Error("The client is gone"));
    return new Promise((resolve, reject) => {
      output.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  return transport;
}

function idOf(value: unknown): string | number | undefined {
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : undefined;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}
