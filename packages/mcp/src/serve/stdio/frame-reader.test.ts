import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createFrameIdScanner } from "./frame-id.ts";
import { createFrameReader, type Frame } from "./frame-reader.ts";

function read(chunks: readonly Uint8Array[], limit: number): Frame[] {
  const frames: Frame[] = [];
  const reader = createFrameReader(limit, (frame) => frames.push(frame));
  for (const chunk of chunks) reader.push(chunk);
  return frames;
}

function split(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

test("lines come out whole, however the bytes were cut", () => {
  const line = fc.string({ minLength: 1, unit: "grapheme" }).map((text) => JSON.stringify(text));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat()), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\r\n\n`).join(""));
      expect(read(split(bytes, cuts), 10_000)).toEqual(lines.map((text) => ({ kind: "text", text })));
    }),
  );
});

test("a line that is too long is reported with its id, and the next is read", () => {
  const long = JSON.stringify({ method: "m", params: { id: 1, text: 'x"}'.repeat(100) }, jsonrpc: "2.0", id: 7 });
  const frames = read(split(Buffer.from(`${long}\n"next"\n`), [3, 50, 120]), 100);
  expect(frames).toEqual([
    { kind: "oversized", bytes: long.length, id: 7 },
    { kind: "text", text: '"next"' },
  ]);
});

test("half a frame waits for its rest", () => {
  expect(read([Buffer.from('{"half":')], 100)).toEqual([]);
});

test("the id of any message is found without parsing it", () => {
  const id = fc.oneof(
    fc.string({ maxLength: 40, unit: "grapheme" }),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
  const others = fc.dictionary(
    fc.string().filter((key) => key !== "id" && key !== "__proto__"),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(others, id, others, fc.array(fc.nat()), (before, value, after, cuts) => {
      const message = JSON.stringify({ ...before, id: value, ...after });
      const scanner = createFrameIdScanner();
      for (const chunk of split(Buffer.from(message), cuts)) scanner.push(chunk);
      expect(scanner.id).toEqual((JSON.parse(message) as { id: unknown }).id);
    }),
  );
});

test("the frame reader makes up no id for a frame that has none", () => {
  for (const text of [
    '{"a":{"id":1}}',
    '[{"id":1}]',
    '{"id":null}',
    '{"id":{"x":1}}',
    '{"id":[1]}',
    '"id":1',
    "}}}",
    '{"id":tru,',
  ]) {
    const scanner = createFrameIdScanner();
    scanner.push(Buffer.from(text));
    expect(scanner.id).toBeUndefined();
  }
  const scanner = createFrameIdScanner();
  scanner.push(Buffer.from(JSON.stringify({ id: "x".repeat(300) })));
  expect(scanner.id).toBeUndefined();
});
