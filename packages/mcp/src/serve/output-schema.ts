import type { JsonSchema } from "@ikigai/core";
import { moveReferences } from "../move-references.ts";

const CUT = { type: "string", description: "JSON that was cut short; see truncated" };

/** The schema of a successful envelope whose data follows `data`. */
export function toEnvelopeSchema(data: JsonSchema): JsonSchema & { readonly type: "object" } {
  return {
    type: "object",
    properties: {
      success: { type: "boolean", const: true },
      data: { anyOf: [moveReferences(data, "#/properties/data/anyOf/0"), CUT] },
      truncated: { type: "object" },
    },
    required: ["success", "data"],
  };
}
