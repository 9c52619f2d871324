import { IkigaiError } from "../errors.ts";
import { findHidden } from "../hidden-characters.ts";
import type { JsonSchema, Schema } from "./schema.ts";
import type { AnyTool, ToolAnnotations } from "./tool.ts";

/** A tool as a model or a client is shown it. */
export interface ToolCard {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: ToolAnnotations;
  /** How answers are written as text. Absent: as the host writes any data. */
  readonly toText?: NonNullable<AnyTool["toText"]>;
}

/** A tool that was accepted. Its identity is what a snapshot compares. */
export interface RegisteredTool {
  readonly tool: AnyTool;
  readonly card: ToolCard;
}

/** The operations an agent may use, by tool. A tool that is not named is open; an empty list removes it. */
export type AllowedOperations = Readonly<Record<string, readonly string[]>>;

/** What a tool can be called: the strictest rule among model providers. */
export const TOOL_NAME: RegExp = /^[a-z][a-z0-9_]{0,63}$/;
const MAX_DESCRIPTION = 8_000;

const TARGET = { target: "draft-2020-12" } as const;
/** Libraries that write the dialect into every schema. */
const GENERATORS: ReadonlySet<string> = new Set(["zod", "arktype", "valibot"]);

/**
 * The card of `tool`, checked as the strictest provider would: one refused schema makes it refuse the whole request,
 * so the author hears of it at registration.
 */
export function toCard(tool: AnyTool): ToolCard {
  const { name, title, description, annotations, operations } = tool;
  if (!TOOL_NAME.test(name)) {
    throw invalidTool(name, "the name must match", String(TOOL_NAME));
  }
  const shown = withOperations(description, operations);
  if (description.trim() === "" || shown.length > MAX_DESCRIPTION || isHostile(`${title ?? ""}${shown}`)) {
    throw invalidTool(name, "the description must be printable text of at most", `${MAX_DESCRIPTION} characters`);
  }
  const inputSchema = jsonSchemaOf(name, tool.input, (schema) => schema.jsonSchema.input(TARGET));
  assertPlainObject(name, inputSchema);
  assertOperations(name, inputSchema, operations);
  const outputSchema = tool.output && jsonSchemaOf(name, tool.output, (schema) => schema.jsonSchema.output(TARGET));
  return {
    name,
    ...(title !== undefined && { title }),
    description: shown,
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations }),
    ...(tool.toText !== undefined && { toText: (data, facts) => tool.toText?.(data, facts) }),
  };
}

/** The card without the operations that are not allowed, or `undefined` when nothing is left. */
export function restrictCard(
  card: ToolCard,
  tool: AnyTool,
  allowed: readonly string[] | undefined,
): ToolCard | undefined {
  if (allowed === undefined) return card;
  if (allowed.length === 0) return undefined;
  if (tool.operations === undefined) return card;
  const kept = Object.entries(tool.operations as Record<string, string>).filter(([op]) => allowed.includes(op));
  if (kept.length === 0) return undefined;
  const properties = card.inputSchema["properties"] as Record<string, JsonSchema>;
  const { default: preset, ...rest } = properties["op"] as JsonSchema;
  const names = kept.map(([name]) => name);
  const op = { ...rest, enum: names, ...(names.includes(preset as string) && { default: preset }) };
  return {
    ...card,
    description: withOperations(tool.description, Object.fromEntries(kept)),
    inputSchema: { ...card.inputSchema, properties: { ...properties, op } },
  };
}

function withOperations(description: string, operations: Readonly<Record<string, string>> | undefined): string {
  if (operations === undefined) return description;
  return `${description}\n${Object.entries(operations)
    .map(([op, text]) => `- ${op}: ${text}`)
    .join("\n")}`;
}

/** Contract: the dialect stays where an author wrote it down, and not where a library adds it to every schema. */
function jsonSchemaOf(
  name: string,
  { "~standard": standard }: Schema,
  describe: (schema: Schema["~standard"]) => JsonSchema | undefined,
): JsonSchema {
  try {
    const { $schema: dialect, ...schema } = describe(standard) ?? {};
    const isWritten = dialect !== undefined && !GENERATORS.has(standard.vendor);
    const whole = isWritten ? { $schema: dialect, ...schema } : schema;
    if (!hasHostileText(whole)) return whole;
  } catch (cause) {
    throw new IkigaiError("invalid_input", `Tool "${name}": its schema cannot be written as JSON Schema`, { cause });
  }
  throw invalidTool(name, "its schema must hold", "printable text only");
}

function isHostile(text: string): boolean {
  return !text.isWellFormed() || findHidden(text, { forReading: true }) !== undefined;
}

/** Field names and descriptions reach the model and the person just as the tool's own description does. */
function hasHostileText(value: unknown): boolean {
  if (typeof value === "string") return isHostile(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, part]) => isHostile(key) || (key !== "pattern" && hasHostileText(part)));
}

function assertPlainObject(name: string, schema: JsonSchema): void {
  const union = ["oneOf", "anyOf", "allOf", "not", "$ref"].find((keyword) => keyword in schema);
  if (schema["type"] === "object" && union === undefined) return;
  throw new IkigaiError(
    "invalid_input",
    `Tool "${name}": the input must be one plain object, not ${union ?? "a value"}`,
    {
      hint: "Use an op field with optional fields, or split the tool in two.",
    },
  );
}

function assertOperations(
  name: string,
  schema: JsonSchema,
  operations: Readonly<Record<string, string>> | undefined,
): void {
  if (operations === undefined) return;
  const op = (schema["properties"] as Record<string, JsonSchema> | undefined)?.["op"];
  const listed = Object.keys(operations).toSorted().join(", ");
  const accepted = [(op?.["enum"] ?? op?.["const"] ?? []) as string | string[]].flat().toSorted().join(", ");
  if (listed === accepted) return;
  throw invalidTool(name, `operations are described for [${listed}] but the field op accepts`, `[${accepted}]`);
}

function invalidTool(name: string, problem: string, wanted: string): IkigaiError {
  return new IkigaiError("invalid_input", `Tool ${JSON.stringify(name.slice(0, 80))}: ${problem} ${wanted}`);
}
