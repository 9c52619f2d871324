/** Keywords that hold values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

/** A JSON Schema whose references to itself still hold once it stands at `place` of another, such as `#/properties/x`. */
export function moveReferences(schema: unknown, place: string): unknown {
  if (Array.isArray(schema)) return schema.map((part) => moveReferences(part, place));
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === "$ref" && typeof value === "string" && value.startsWith("#")) {
        return [keyword, `${place}${value.slice(1)}`];
      }
      return [keyword, VALUES.has(keyword) ? value : moveReferences(value, place)];
    }),
  );
}
