import type { JsonSchema } from "@ikigai/core";
import { moveReferences } from "../../move-references.ts";

const CUT = { type: "string", description: "JSON that was cut short; see truncated" };

/** The schema of an envelope whose data follows `data`. Contract: the envelope of a failure satisfies it too. */
export function toEnvelopeSchema(data: JsonSchema): JsonSchema & { readonly type: "object" } {
  return {
    type: "object",
    properties: {
      success: { type: "boolean" },
      data: { anyOf: [moveReferences(data, "#/properties/data/anyOf/0"), CUT] },
      truncated: { type: "object" },
      error: { type: "string" },
      code: { type: "string" },
      details: { type: "object" },
    },
    required: ["success"],
  };
}
