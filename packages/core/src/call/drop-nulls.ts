import type { JsonSchema } from "../tool/schema.ts";

/**
 * Arguments without the optional fields that are `null`: models that fill in every field mean that they are absent.
 *
 * Contract: a field that is required, or whose schema takes `null` or says nothing of its type, stays as it is, and so
 * does a field that the schema does not know. The same object comes back when nothing is dropped.
 */
export function dropNulls(
  value: Readonly<Record<string, unknown>>,
  schema: JsonSchema,
): Readonly<Record<string, unknown>> {
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const required = new Set((schema["required"] ?? []) as readonly string[]);
  let changed = false;
  const kept: [string, unknown][] = [];
  for (const [key, part] of Object.entries(value)) {
    const own = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (part === null && own !== undefined && !required.has(key) && !takesNull(own)) {
      changed = true;
      continue;
    }
    const next = own === undefined ? part : dropBelow(part, own);
    changed ||= next !== part;
    kept.push([key, next]);
  }
  return changed ? Object.fromEntries(kept) : value;
}

function dropBelow(value: unknown, schema: JsonSchema): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value)) return dropNulls(value as Record<string, unknown>, schema);
  const items = schema["items"] as JsonSchema | undefined;
  if (items === undefined) return value;
  const next = value.map((item) => dropBelow(item, items));
  return next.some((item, index) => item !== value[index]) ? next : value;
}

function takesNull(schema: JsonSchema): boolean {
  const { type, anyOf, oneOf, enum: values } = schema;
  if ("const" in schema) return schema["const"] === null;
  if (Array.isArray(values)) return values.includes(null);
  const choices = (anyOf ?? oneOf) as readonly JsonSchema[] | undefined;
  if (choices !== undefined) return choices.some(takesNull);
  return type === undefined || type === "null" || (Array.isArray(type) && type.includes("null"));
}
