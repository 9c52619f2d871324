import { array, assert, nat, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { createRequestReader, fatalError, queryMessage, readAnswer, welcome } from "./wire.ts";

function frame(type: string, body = ""): Buffer {
  const content = Buffer.from(body);
  const head = Buffer.alloc(5, type);
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

function startup(code: number, body = ""): Buffer {
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + Buffer.byteLength(body), 0);
  head.writeInt32BE(code, 4);
  return Buffer.concat([head, Buffer.from(body)]);
}

const HELLO = startup(196_608, "user\0postgres\0options\0-c search_path=a\0\0");

describe("reading a client's bytes", () => {
  test("gives the same requests however the bytes are torn", () => {
    const extended = ["P", "B", "D", "E", "S"].map((type) => frame(type, `${type} body`));
    const whole = Buffer.concat([startup(80_877_103), HELLO, queryMessage("select 1"), ...extended, frame("X")]);
    const expected = createRequestReader()(whole);
    expect(expected.map(({ kind }) => kind)).toEqual(["encryption", "startup", "batch", "batch", "end"]);
    assert(
      property(array(nat(whole.length), { maxLength: 12 }), (cuts) => {
        const read = createRequestReader();
        const places = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
        const torn = places.slice(1).flatMap((end, index) => read(whole.subarray(places[index], end)));
        expect(torn).toEqual(expected);
      }),
    );
  });

  test("keeps the parts of an extended query together", () => {
    const read = createRequestReader();
    const parts = [frame("P", "p"), frame("B", "b"), frame("E", "e"), frame("S")];
    expect(read(Buffer.concat([HELLO, ...parts])).at(-1)).toEqual({ kind: "batch", bytes: Buffer.concat(parts) });
  });

  test("reads the parameters of a start-up", () => {
    const [request] = createRequestReader()(HELLO);
    expect(request).toMatchObject({
      parameters: new Map([
        ["user", "postgres"],
        ["options", "-c search_path=a"],
      ]),
    });
  });

  test.each([
    ["a copy message", [HELLO, frame("d", "data")], 'message "d"'],
    ["another protocol", [startup(131_072)], "protocol 2.0"],
    ["a length that is too small", [HELLO, Buffer.from([81, 0, 0, 0, 1])], "a message of 2 bytes"],
    ["a length that is too large", [HELLO, Buffer.from([81, 127, 255, 255, 255])], "a message of"],
  ])("refuses %s and hears nothing more", (_, messages, reason) => {
    const read = createRequestReader();
    const requests = read(Buffer.concat(messages));
    expect(requests.at(-1)).toEqual({ kind: "refused", reason: expect.stringContaining(reason) });
    expect(read(queryMessage("select 1"))).toEqual([]);
  });

  test("takes a request to cancel for a goodbye: a statement cannot be interrupted", () => {
    expect(createRequestReader()(startup(80_877_102, "12345678"))).toEqual([{ kind: "end" }]);
  });
});

describe("reading the engine's answer", () => {
  test("takes notifications out and tells the state", () => {
    const note = frame("A", "note");
    const answer = readAnswer(Buffer.concat([frame("C", "x"), note, frame("Z", "T")]));
    expect(answer).toEqual({
      reply: Buffer.concat([frame("C", "x"), frame("Z", "T")]),
      notifications: [note],
      state: "T",
      fatal: false,
    });
  });

  test("knows an engine that broke off", () => {
    expect(readAnswer(frame("C", "x")).state).toBeUndefined();
    expect(readAnswer(Buffer.concat([fatalError("58000", "gone"), frame("Z", "I")])).fatal).toBe(true);
    expect(readAnswer(Buffer.concat([frame("E", "SERROR\0"), frame("Z", "I")])).fatal).toBe(false);
  });

  test("welcomes with the engine's parameters", () => {
    expect(welcome({ server_version: "18.6" }).toString("latin1")).toContain("server_version\x0018.6\0");
  });
});
