import type { ToolCard } from "./catalog.ts";
import type { JsonSchema } from "./schema.ts";

export interface OpenAiTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Record<string, unknown>;
  };
}

export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: { readonly type: "object"; readonly [key: string]: unknown };
}

export interface McpTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object"; readonly [key: string]: unknown };
  readonly outputSchema?: { readonly type: "object"; readonly [key: string]: unknown };
  readonly annotations?: {
    readonly title?: string;
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
}

/** The catalog as OpenAI's chat completions take it. */
export function toOpenAiTools(cards: readonly ToolCard[]): OpenAiTool[] {
  return cards.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: { ...withoutDialect(inputSchema) } },
  }));
}

/** The catalog as Anthropic's messages take it. */
export function toAnthropicTools(cards: readonly ToolCard[]): AnthropicTool[] {
  return cards.map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: objectSchema(withoutDialect(inputSchema)),
  }));
}

/** The catalog as an MCP server answers `tools/list`. An output that is not an object has no place there. */
export function toMcpTools(cards: readonly ToolCard[]): McpTool[] {
  return cards.map(({ name, title, description, inputSchema, outputSchema, annotations }) => ({
    name,
    ...(title !== undefined && { title }),
    description,
    inputSchema: objectSchema(inputSchema),
    ...(outputSchema?.["type"] === "object" && { outputSchema: objectSchema(outputSchema) }),
    ...(annotations !== undefined && {
      annotations: {
        ...(annotations.readOnly !== undefined && { readOnlyHint: annotations.readOnly }),
        ...(annotations.destructive !== undefined && { destructiveHint: annotations.destructive }),
        ...(annotations.idempotent !== undefined && { idempotentHint: annotations.idempotent }),
        ...(annotations.openWorld !== undefined && { openWorldHint: annotations.openWorld }),
      },
    }),
  }));
}

/** Providers know one dialect, and some refuse a field that they do not know. */
function withoutDialect({ $schema: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

function objectSchema(schema: JsonSchema): { readonly type: "object"; readonly [key: string]: unknown } {
  return { ...schema, type: "object" };
}
