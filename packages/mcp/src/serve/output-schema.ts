import type { JsonSchema } from "@ikigai/core";

const CUT = { type: "string", description: "JSON that was cut short; see truncated" };
/** Where the schema of the data comes to stand, so that its references can follow. */
const DATA_AT = "#/properties/data/anyOf/0";
/** Keywords that hold values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

/** The schema of a successful envelope whose data follows `data`. */
export function toEnvelopeSchema(data: JsonSchema): JsonSchema & { readonly type: "object" } {
  return {
    type: "object",
    properties: {
      success: { type: "boolean", const: true },
      data: { anyOf: [moveReferences(data), CUT] },
      truncated: { type: "object" },
    },
    required: ["success", "data"],
  };
}

function moveReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(moveReferences);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === "$ref" && typeof value === "string" && value.startsWith("#")) {
        return [keyword, `${DATA_AT}${value.slice(1)}`];
      }
      return [keyword, VALUES.has(keyword) ? value : moveReferences(value)];
    }),
  );
}
