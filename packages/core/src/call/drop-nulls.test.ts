import { expect, test } from "vitest";
import { z } from "zod";
import { dropNulls } from "./drop-nulls.ts";
import { createToolRegistry } from "../tool/tool-registry.ts";
import { defineTool } from "../tool/tool.ts";

const schema = z.toJSONSchema(
  z.strictObject({
    path: z.string(),
    limit: z.int().optional(),
    mode: z.enum(["a", "b"]).default("a"),
    value: z.unknown().optional(),
    maybe: z.string().nullable().optional(),
    either: z.union([z.string(), z.number()]).optional(),
    scalar: z.union([z.string(), z.null()]).optional(),
    fixed: z.literal("x").optional(),
    nested: z.strictObject({ a: z.string().optional() }).optional(),
    list: z.array(z.strictObject({ a: z.string().optional() })).optional(),
    free: z.array(z.unknown()).optional(),
  }),
  { io: "input" },
) as Record<string, unknown>;

test("an optional field that is null is as if it were absent, at any depth", () => {
  const value = {
    path: "p",
    limit: null,
    mode: null,
    either: null,
    fixed: null,
    nested: { a: null },
    list: [{ a: null }, { a: "x" }],
  };
  expect(dropNulls(value, schema)).toEqual({ path: "p", nested: {}, list: [{}, { a: "x" }] });
});

test("null stays where it is required, allowed or unknown", () => {
  const value = { path: null, value: null, maybe: null, scalar: null, other: null, free: [null] };
  expect(dropNulls(value, schema)).toBe(value);
  expect(dropNulls({ x: [{ a: null }] }, { properties: { x: { type: "array" } } })).toEqual({ x: [{ a: null }] });
  expect(dropNulls({ x: null }, { properties: { x: { enum: ["a", null] } } })).toEqual({ x: null });
  expect(dropNulls({ x: null }, { properties: { x: { type: ["string", "null"] } } })).toEqual({ x: null });
});

test("a registry takes null for what is optional, and older words for newer ones", async () => {
  const registry = createToolRegistry();
  registry.register([
    defineTool({
      name: "read",
      description: "Reads.",
      input: z.strictObject({ offset: z.int().default(1), limit: z.int().optional() }),
      modernise: ({ start, ...rest }) => (start === undefined ? rest : { offset: start, ...rest }),
      effects: () => [],
      run: async (input) => input,
    }),
  ]);
  const call = (args: object): Promise<unknown> => registry.call({ name: "read", arguments: args });
  expect(await call({ offset: null, limit: null })).toEqual({ success: true, data: { offset: 1 } });
  expect(await call({ start: 4, limit: 2 })).toEqual({ success: true, data: { offset: 4, limit: 2 } });
  expect(await call({ start: null })).toEqual({ success: true, data: { offset: 1 } });
  expect(await call({ begin: 4 })).toMatchObject({ code: "invalid_input", error: expect.stringContaining('"begin"') });
});

test("null stays where a constant, a list of values or one of several schemas takes it, and goes where none does", () => {
  const schema = {
    type: "object",
    properties: {
      none: { const: null },
      fixed: { const: "x" },
      listed: { enum: ["a", null] },
      unlisted: { enum: ["a"] },
      either: { oneOf: [{ type: "string" }, { type: "null" }] },
      neither: { anyOf: [{ type: "string" }, { type: "number" }] },
    },
  };
  const value = { none: null, fixed: null, listed: null, unlisted: null, either: null, neither: null };
  expect(dropNulls(value, schema)).toEqual({ none: null, listed: null, either: null });
});
