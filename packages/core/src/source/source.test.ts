import { expect, test } from "vitest";
import { z } from "zod";
import { type TextReader, defineDataBlock, defineDataStream, SOURCE_CONTRACT } from "./source.ts";
import { defineTool } from "../tool/tool.ts";

const options = z.object({});
const reader: TextReader = { read: async () => undefined, async *list() {} };

test("a definition says its kind and the contract it was written for", () => {
  const block = defineDataBlock({ name: "x", capabilities: [], options, open: async () => reader });
  const stream = defineDataStream({ name: "x", capabilities: [], options, open: async () => ({ async *events() {} }) });
  expect(block).toMatchObject({ kind: "block", contract: SOURCE_CONTRACT });
  expect(stream).toMatchObject({ kind: "stream", contract: SOURCE_CONTRACT });
});

test("the compiler refuses what the contract does not allow", () => {
  // @ts-expect-error claims "write" and has no write
  defineDataBlock({ name: "x", capabilities: ["write"], options, open: async () => reader });
  // @ts-expect-error "wriet" is no capability
  defineDataBlock({ name: "x", capabilities: ["wriet"], options, open: async () => reader });
  // @ts-expect-error a tool says what it touches
  defineTool({ name: "t", description: "d", input: options, run: async () => 1 });
  const input = z.object({ name: z.string() });
  // @ts-expect-error the input has no field "nmae"
  defineTool({ name: "t", description: "d", input, effects: () => [], run: async ({ nmae }) => nmae as unknown });
  expect(input.parse({ name: "checked by the compiler" })).toBeDefined();
});
