import { IkigaiError, type JsonSchema, type Schema } from "@ikigai/core";
import { moveReferences } from "../move-references.ts";
import { cleanText } from "./clean-text.ts";

/** The input of a foreign tool, in a form that every model provider takes. */
export interface ForeignInput {
  readonly schema: Schema<Record<string, unknown>>;
  /** Turns the checked input into the arguments that the tool itself is sent. */
  readonly unwrap: (input: Record<string, unknown>) => Record<string, unknown>;
  /** Set when the schema had to be changed. */
  readonly warning?: string;
}

const MAX_SCHEMA = 100_000;
const MAX_TEXT = 2_000;
const UNIONS = ["oneOf", "anyOf", "allOf", "not", "$ref"];

/**
 * Takes over a tool's JSON Schema.
 *
 * Contract: the tool's own server checks values; here only required fields are, so that no pattern of a stranger is
 * ever run. A union at the root is put into one field `input`. Throws `unsupported` for what is no object schema.
 */
export function foreignInput(declared: JsonSchema): ForeignInput {
  const size = JSON.stringify(declared).length;
  if (size > MAX_SCHEMA) throw unusable(`it has ${size} characters, more than ${MAX_SCHEMA}`);
  if (declared["type"] !== "object") throw unusable("it does not describe an object");
  const { $schema: dialect, ...cleaned } = cleanTexts(declared) as Record<string, unknown>;
  const written = typeof dialect === "string" ? { $schema: dialect } : {};
  const union = UNIONS.find((keyword) => keyword in cleaned);
  if (union === undefined) {
    const closed = cleaned["additionalProperties"] === false && !("patternProperties" in cleaned);
    return { schema: toSchema({ ...written, ...cleaned, additionalProperties: !closed }), unwrap: (input) => input };
  }
  return {
    schema: toSchema({
      ...written,
      type: "object",
      properties: { input: moveReferences(cleaned, "#/properties/input") },
      required: ["input"],
      additionalProperties: false,
    }),
    unwrap: ({ input }) => input as Record<string, unknown>,
    warning: `its input has ${union} at the root and is taken as one field named input`,
  };
}

function toSchema(json: JsonSchema): Schema<Record<string, unknown>> {
  const required = Array.isArray(json["required"]) ? json["required"].map(String) : [];
  return {
    "~standard": {
      version: 1,
      vendor: "ikigai-mcp",
      validate(value) {
        const input = value as Record<string, unknown>;
        const missing = required.filter((field) => !Object.hasOwn(input, field));
        if (missing.length === 0) return { value: input };
        return { issues: missing.map((field) => ({ message: "is required", path: [field] })) };
      },
      jsonSchema: { input: () => json, output: () => json },
    },
  };
}

/** Descriptions inside a schema are read by the model just like the tool's own. */
function cleanTexts(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(cleanTexts);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      const isText = typeof value === "string" && (keyword === "description" || keyword === "title");
      return [keyword, isText ? cleanText(value, MAX_TEXT) : cleanTexts(value)];
    }),
  );
}

function unusable(reason: string): IkigaiError {
  return new IkigaiError("unsupported", `its input schema cannot be used: ${reason}`);
}
