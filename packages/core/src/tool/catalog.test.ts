import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { z } from "zod";
import { restrictCard, toCard } from "./catalog.ts";
import { toAnthropicTools, toMcpTools, toOpenAiTools } from "./catalog-formats.ts";
import { type AnyTool, defineTool } from "./tool.ts";

const input = z.object({ op: z.enum(["get", "set"]), key: z.string().describe("The key").optional() });

const store: AnyTool = defineTool({
  name: "store",
  title: "Store",
  description: "Keeps values.",
  input,
  output: z.object({ value: z.string() }),
  operations: { get: "Reads a value.", set: "Writes a value." },
  annotations: { readOnly: false },
  effects: () => [],
  run: async () => ({ value: "" }),
});

function variant(change: Partial<AnyTool>): () => unknown {
  return () => toCard({ ...store, ...change });
}

test("a card shows the schema, the operations and what was said of the tool", () => {
  const card = toCard(store);
  expect(card).toMatchObject({ name: "store", title: "Store", annotations: { readOnly: false } });
  expect(card.description).toBe("Keeps values.\n- get: Reads a value.\n- set: Writes a value.");
  expect(card.inputSchema).not.toHaveProperty("$schema");
  const ajv = new Ajv2020({ strict: true });
  expect(ajv.validate(card.inputSchema, { op: "get", key: "a" })).toBe(true);
  expect(ajv.validate(card.inputSchema, { op: "drop" })).toBe(false);
  expect(ajv.validateSchema(card.outputSchema ?? {})).toBe(true);
});

test("a plain tool has a plain card", () => {
  const plain = defineTool({ name: "t", description: "d", input: z.object({}), effects: () => [], run: async () => 1 });
  expect(Object.keys(toCard(plain)).toSorted()).toEqual(["description", "inputSchema", "name"]);
});

test.each(["", "Store", "1store", "a-b", "a".repeat(65), "store\n", "störe"])("the name %j is refused", (name) => {
  expect(variant({ name })).toThrow("the name must match");
});

test.each([
  ["empty", ""],
  ["blank", " \n"],
  ["too long", "x".repeat(8_001)],
  ["an escape sequence", "Reads.\u001b[2K\u001b[1AWrites nothing."],
  ["a right-to-left override", "Deletes\u202E gnihton"],
  ["a zero-width space", "Reads\u200B files"],
  ["tag characters", `Reads.${String.fromCodePoint(0xe0049, 0xe0067)}`],
  ["half of a pair", "Reads \ud83e"],
  ["a carriage return", "Writes everything.\rReads."],
])("a description that is %s is refused", (_, description) => {
  expect(variant({ description })).toThrow("printable");
});

test("hostile text is found wherever a model or a person would read it", () => {
  expect(variant({ title: "Store\u202E" })).toThrow("printable");
  expect(variant({ operations: { get: "Reads.\u001b[2K", set: "Writes." } })).toThrow("printable");
  expect(variant({ operations: { get: "x".repeat(8_000), set: "" } })).toThrow("printable");
  const described = z.object({ op: z.enum(["get", "set"]), key: z.string().describe("The key\u202E") });
  expect(variant({ input: described })).toThrow("printable");
  const named = z.object({ op: z.enum(["get", "set"]), "key\u200B": z.string() });
  expect(variant({ input: named })).toThrow("printable");
});

test("ordinary prose of any language and a pattern of any kind pass", () => {
  const description = "Liest Dateien 🧠.\n\t- 日本語, العربية, नमस्ते, 👩‍💻";
  const patterned = z.object({
    op: z.enum(["get", "set"]),
    key: z.string().regex(new RegExp(`[${String.fromCharCode(1)}-z]`)),
  });
  expect(variant({ description, input: patterned })).not.toThrow();
});

test.each([
  ["a union", z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
  [
    "a discriminated union",
    z.discriminatedUnion("op", [z.object({ op: z.literal("a") }), z.object({ op: z.literal("b") })]),
  ],
  ["a text", z.string()],
  ["a list", z.array(z.string())],
])("%s at the root is refused, with the way out", (_, input) => {
  const { operations: _o, ...rest } = store;
  const attempt = (): unknown => toCard({ ...rest, input });
  expect(attempt).toThrow("the input must be one plain object");
  expect(attempt).toThrow(expect.objectContaining({ hint: expect.stringContaining("op field") as string }));
});

test("a schema that cannot be described is refused, and one that cannot describe at all", () => {
  expect(variant({ input: z.object({ at: z.date() }) })).toThrow("cannot be written as JSON Schema");
  const mute = { "~standard": { version: 1, vendor: "x", validate: () => ({ value: {} }) } };
  expect(variant({ input: mute as never })).toThrow("cannot be written as JSON Schema");
  const silent = { "~standard": { ...mute["~standard"], jsonSchema: { input: () => undefined } } };
  expect(variant({ input: silent as never })).toThrow("plain object");
});

test("described operations and accepted ones are the same", () => {
  expect(variant({ operations: { get: "Reads." } })).toThrow("[get] but the field op accepts [get, set]");
  expect(variant({ input: z.object({}) })).toThrow("accepts []");
  expect(variant({ input: z.object({ op: z.literal("get") }), operations: { get: "Reads." } })).not.toThrow();
});

test("an operation that is not allowed is in neither schema nor description", () => {
  const card = restrictCard(toCard(store), store, ["get", "unheard of"]);
  expect(card?.description).toBe("Keeps values.\n- get: Reads a value.");
  expect(JSON.stringify(card?.inputSchema)).not.toContain("set");
  const ajv = new Ajv2020();
  expect(ajv.validate(card?.inputSchema ?? {}, { op: "set" })).toBe(false);
  expect(ajv.validate(card?.inputSchema ?? {}, { op: "get" })).toBe(true);
});

test("a preset operation that is not allowed is no preset", () => {
  const preset: AnyTool = { ...store, input: z.object({ op: z.enum(["get", "set"]).default("set") }) };
  const opOf = (allowed: string[]) => restrictCard(toCard(preset), preset, allowed)?.inputSchema["properties"];
  expect(opOf(["get"])).toEqual({ op: { type: "string", enum: ["get"] } });
  expect(opOf(["set"])).toEqual({ op: { type: "string", enum: ["set"], default: "set" } });
});

test("with nothing left there is no card; what has no operations is open or closed as a whole", () => {
  const { operations: _, ...whole } = store;
  expect(restrictCard(toCard(store), store, [])).toBeUndefined();
  expect(restrictCard(toCard(store), store, ["unheard of"])).toBeUndefined();
  expect(restrictCard(toCard(whole), whole, ["anything"])).toEqual(toCard(whole));
  expect(restrictCard(toCard(store), store, undefined)).toEqual(toCard(store));
});

test("a dialect that an author wrote down stays on the card, and no provider is sent it", () => {
  const $schema = "http://json-schema.org/draft-07/schema#";
  const json = { $schema, type: "object", properties: {} };
  const input = {
    "~standard": {
      version: 1,
      vendor: "mine",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => json, output: () => json },
    },
  } as const;
  const card = toCard({ name: "plain", description: "Plain.", input, effects: () => [], run: async () => undefined });
  expect(card.inputSchema).toHaveProperty("$schema", $schema);
  expect(toMcpTools([card])[0]?.inputSchema).toHaveProperty("$schema", $schema);
  expect(JSON.stringify([toOpenAiTools([card]), toAnthropicTools([card])])).not.toContain("$schema");
});
