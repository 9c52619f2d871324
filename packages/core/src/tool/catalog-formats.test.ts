import type Anthropic from "@anthropic-ai/sdk";
import { specTypeSchemas } from "@modelcontextprotocol/server";
import type { ListToolsResult } from "@modelcontextprotocol/server";
import { Ajv2020 } from "ajv/dist/2020.js";
import type OpenAI from "openai";
import { expect, test } from "vitest";
import { z } from "zod";
import { toAnthropicTools, toMcpTools, toOpenAiTools } from "./catalog-formats.ts";
import { defineTool } from "./tool.ts";
import { createToolRegistry } from "./tool-registry.ts";

const registry = createToolRegistry();
registry.register([
  defineTool({
    name: "file_read",
    title: "Read a file",
    description: "Reads text.",
    input: z.object({ path: z.string().min(1).describe("Where"), limit: z.int().positive().max(100).optional() }),
    output: z.object({ content: z.string() }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    effects: () => [],
    run: async () => ({ content: "" }),
  }),
  defineTool({
    name: "store",
    description: "Keeps values.",
    input: z.strictObject({
      op: z.enum(["get", "set"]),
      value: z.union([z.string(), z.record(z.string(), z.json())]).optional(),
      tags: z.array(z.enum(["a", "b"])).default([]),
    }),
    output: z.array(z.string()),
    operations: { get: "Reads.", set: "Writes." },
    annotations: {},
    effects: () => [],
    run: async () => [],
  }),
  defineTool({ name: "now", description: "The time.", input: z.object({}), effects: () => [], run: async () => 0 }),
]);
const { cards } = registry.snapshot();
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });

test("OpenAI's own types accept the catalog", () => {
  const tools: OpenAI.Chat.Completions.ChatCompletionTool[] = toOpenAiTools(cards);
  const request: Pick<OpenAI.Chat.Completions.ChatCompletionCreateParams, "tools"> = { tools };
  expect(request.tools).toHaveLength(3);
  for (const {
    function: { name, parameters },
  } of toOpenAiTools(cards)) {
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(parameters).toMatchObject({ type: "object" });
    expect(ajv.validateSchema(parameters)).toBe(true);
  }
});

test("Anthropic's own types accept the catalog", () => {
  const tools: Anthropic.Messages.Tool[] = toAnthropicTools(cards);
  const request: Pick<Anthropic.Messages.MessageCreateParams, "tools"> = { tools };
  expect(request.tools).toHaveLength(3);
  for (const { name, input_schema } of tools) {
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,128}$/);
    expect(Object.keys(input_schema)).not.toEqual(expect.arrayContaining(["oneOf"]));
    expect(ajv.validateSchema(input_schema)).toBe(true);
  }
});

test("the MCP SDK's own types and its own validator accept the catalog", () => {
  const tools = toMcpTools(cards) satisfies readonly ListToolsResult["tools"][number][];
  const checked = specTypeSchemas.ListToolsResult["~standard"].validate({ tools });
  expect(checked.issues).toBeUndefined();
  expect(specTypeSchemas.ListToolsResult["~standard"].validate({ tools: [{ name: 1 }] })).toHaveProperty("issues");
  for (const { inputSchema } of tools) expect(ajv.validateSchema(inputSchema)).toBe(true);
});

test("the MCP catalog has annotations and titles, and leaves out an output schema that is no object", () => {
  const [read, store, now] = toMcpTools(cards);
  expect(read).toMatchObject({
    title: "Read a file",
    outputSchema: { type: "object" },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  });
  expect(store).not.toHaveProperty("outputSchema");
  expect(store?.annotations).toEqual({});
  expect(Object.keys(now ?? {}).toSorted()).toEqual(["description", "inputSchema", "name"]);
});

test("the schemas a model is shown accept what the tools accept", () => {
  const [read, store] = cards;
  expect(ajv.validate(read?.inputSchema ?? {}, { path: "a.md", limit: 3 })).toBe(true);
  expect(ajv.validate(read?.inputSchema ?? {}, { path: "", limit: 3 })).toBe(false);
  expect(ajv.validate(store?.inputSchema ?? {}, { op: "set", value: { a: [1, null] } })).toBe(true);
});
