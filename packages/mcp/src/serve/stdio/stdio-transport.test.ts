import { PassThrough } from "node:stream";
import { parseJSONRPCMessage } from "@modelcontextprotocol/server";
import { expect, test, vi } from "vitest";
import { createStdioTransport } from "./stdio-transport.ts";

function open() {
  const input = new PassThrough();
  const output = new PassThrough();
  const transport = createStdioTransport({ input, output, maxFrameSize: 100, parse: parseJSONRPCMessage });
  const received: unknown[] = [];
  const closed = vi.fn<() => void>();
  const errors: string[] = [];
  Object.assign(transport, {
    onmessage: (message: unknown) => received.push(message),
    onclose: closed,
    onerror: (error: Error) => errors.push(error.message),
  });
  return { input, output, transport, received, closed, errors };
}

async function answersTo(text: string): Promise<{ answers: unknown[]; received: unknown[]; errors: string[] }> {
  const { input, output, transport, received, errors, closed } = open();
  await transport.start();
  input.end(text);
  await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
  const answers = String(output.read() ?? "")
    .split("\n")
    .filter(Boolean);
  return { answers: answers.map((line) => JSON.parse(line) as unknown), received, errors };
}

test("each fault is answered for the request it belongs to, and what is sound goes on", async () => {
  const ping = { jsonrpc: "2.0", id: 4, method: "ping" };
  const long = JSON.stringify({ jsonrpc: "2.0", method: "x".repeat(200), id: "big" });
  const { answers, received, errors } = await answersTo(
    `${long}\n{"half\n{"id":5}\n{"id":null}\n7\n${JSON.stringify(ping)}\n`,
  );
  expect(answers).toMatchObject([
    { id: "big", error: { code: -32_600, data: { error_type: "invalid_input", bytes: long.length, limit: 100 } } },
    { error: { code: -32_700 } },
    { id: 5, error: { code: -32_600 } },
    { error: { code: -32_600 } },
    { error: { code: -32_600 } },
  ]);
  expect(received).toEqual([ping]);
  expect(errors).toHaveLength(5);
});

test("a closed stdio transport sends and receives nothing, and closes once", async () => {
  const { input, output, transport, received, closed } = open();
  await transport.start();
  output.destroy(new Error("gone"));
  await vi.waitFor(() => expect(closed).toHaveBeenCalled());
  await transport.close();
  expect(closed).toHaveBeenCalledOnce();
  input.write('{"jsonrpc":"2.0","method":"ping"}\n');
  await expect(transport.send({ jsonrpc: "2.0", method: "x" })).rejects.toThrow("gone");
  expect(received).toEqual([]);
});

test("a write that fails is told to whoever sent it", async () => {
  const { output, transport } = open();
  await transport.start();
  output.write = ((_: unknown, done: (error: Error) => void) => done(new Error("disk full"))) as never;
  await expect(transport.send({ jsonrpc: "2.0", method: "x" })).rejects.toThrow("disk full");
});
