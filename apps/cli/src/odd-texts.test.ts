import { createHash, randomUUID } from "node:crypto";
import type { Envelope } from "@ikigai/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EFFECTS, PLAIN_READS, type TestCall } from "./testing/effect-cases.ts";
import { type JudgedBench, type JudgedCase, openJudgedBench } from "./testing/judged-bench.ts";

let bench: JudgedBench;
beforeAll(async () => {
  bench = await openJudgedBench();
});
afterAll(async () => bench[Symbol.asyncDispose]());

/** Names of folders that tell nothing about each other. */
function noise(length: number): string {
  let text = "";
  for (let at = 0; text.length < length; at++) text += `/${createHash("sha512").update(`${at}`).digest("base64url")}`;
  return text.slice(0, length);
}

/** What no file, database or program takes. */
const UNSTORABLE: readonly ((text: string) => string)[] = [
  (text) => `${text}\0`,
  (text) => `\0${text}`,
  (text) => `${text}\ud83e`,
  (text) => `\udc00${text}`,
];
/** What is text, and which somebody may have forgotten. */
const ODD: readonly ((text: string) => string)[] = [
  (text) => `${text}${"x".repeat(8_192)}`,
  // No index of a database takes as much, and it cannot be compressed.
  (text) => `${text}${noise(2_800)}`,
  (text) => `${text}${noise(1_900)}`,
  (text) => `${text}\u202e\u200b\ufeff\uffff\u0001\u001b[2J`,
  (text) => `${text}\r\n/../%00'"; drop table audit; --`,
];
const DATABASE =
  /postgres|pglite|sqlstate|invalid byte sequence|syntax error|duplicate key|relation "|at offset 0x|\.ts:\d+/i;

const CALLS = [...Object.entries(EFFECTS), ...Object.entries(PLAIN_READS)];

/** The fields of a call that hold free text, as functions that put another there. */
function fieldsOf(call: TestCall): readonly ((change: (text: string) => string) => TestCall)[] {
  return Object.entries(call).flatMap(([name, value]) => {
    if (name === "tool" || name === "op" || name === "mode" || name === "permission") return [];
    if (typeof value === "string") return [(change) => ({ ...call, [name]: change(value) })];
    if (Array.isArray(value)) return [(change) => ({ ...call, [name]: [change(String(value[0]))] })];
    if (typeof value !== "object" || value === null) return [];
    return [(change) => ({ ...call, [name]: { [change("key")]: change("value") } })];
  });
}

function expectTyped(envelope: Envelope): void {
  if (!envelope.success) {
    expect(envelope.code).not.toBe("internal");
    expect(envelope.error).not.toMatch(DATABASE);
  }
  expect(bench.told).toEqual([]);
}

describe.each(CALLS)("%s", (_, { setup = [], call }) => {
  test("refuses what cannot be stored, names the field, and takes or refuses odd texts", async () => {
    const one: JudgedCase = await bench.begin(setup);
    for (const field of fieldsOf(call)) {
      for (const change of UNSTORABLE) {
        const envelope = await one.call(field(change));
        expect(envelope).toMatchObject({
          code: "invalid_input",
          error: expect.stringMatching(/contains (a NUL character|half of a surrogate pair), at offset \d+/),
        });
        expectTyped(envelope);
      }
      // A shell takes every line; what it does with it is not ours to judge.
      for (const change of call.tool === "bash" ? [] : ODD) expectTyped(await one.call(field(change)));
    }
  });
});

// An address of 2.7 to 4 kB reached an index of the database, and the call ended as `internal`.
test.each([
  ["file_read", (path: string) => ({ path })],
  ["file_write", (path: string) => ({ path, content: "x" })],
  ["file_edit", (path: string) => ({ path, old: "a", new: "b" })],
  ["file_delete", (path: string) => ({ path })],
  ["file_move", (path: string) => ({ from: "a.md", to: path })],
  ["file_move", (path: string) => ({ from: path, to: "b.md" })],
  ["undo", (path: string) => ({ path })],
  ["grep", (path: string) => ({ pattern: "x", path })],
  ["glob", (path: string) => ({ pattern: "*", path })],
  ["block", (path: string) => ({ op: "load", label: path })],
])("%s refuses a path of more than 2,048 bytes in every mount, with its length and the limit", async (name, input) => {
  const one: JudgedCase = await bench.begin([]);
  for (const mount of ["", "file:///", "ikigai:///blocks/"]) {
    const path = `${mount}${noise(2_900).slice(1)}ü`;
    const bytes = Buffer.byteLength(path.replace(/^\w+:\/\/\//, ""));
    const envelope = await one.call({ tool: name, ...input(path) });
    expect(envelope).toMatchObject({
      code: "invalid_input",
      error: expect.stringContaining(`its path has ${bytes} bytes, and at most 2048 are taken`),
    });
  }
});

test.each(["a\0b", "\ud800", "x".repeat(8_193), "\u202e"])(
  "a call whose id, agent, conversation or tool is odd (%#) is answered and breaks nothing for others",
  async (odd) => {
    const { registry } = bench.others;
    const one = await bench.begin([]);
    const read = { name: "file_read", arguments: { path: "a.md" } };
    const { agent } = one.actor;
    const answers = [
      await registry.call({ ...read, id: odd }, { agent }),
      await registry.call({ ...read, id: randomUUID() }, { agent, conversation: odd }),
      await registry.call({ ...read, id: randomUUID() }, { agent, client: odd }),
      await registry.call({ ...read, id: randomUUID(), name: odd }, { agent }),
      await registry.call({ name: "file_write", arguments: { path: "n.md", content: "x" }, id: odd }, { agent }),
    ];
    for (const envelope of answers) expectTyped(envelope);
    expect(await one.call({ tool: "file_read", path: "a.md" })).toMatchObject({ success: true });
  },
);
