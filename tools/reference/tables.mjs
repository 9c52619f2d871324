// Markdown tables and schemas in words, for the generated pages.

/** A table whose cells cannot break it. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

export function cell(text) {
  return String(text ?? "")
    .replaceAll("|", "\\|")
    .replaceAll("\n", " ")
    .trim();
}

export const code = (text) => (text === "" ? "" : `\`${text}\``);

/** The type of a JSON Schema, in a few words. */
export function typeOf(schema) {
  if (schema === true || Object.keys(schema).length === 0) return "anything";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((one) => code(one)).join(", ");
  if (schema.anyOf ?? schema.oneOf) return (schema.anyOf ?? schema.oneOf).map(typeOf).join(" or ");
  if (schema.prefixItems) return "list of texts, at least one";
  if (schema.type === "array")
    return `list of ${typeOf(schema.items ?? {})}${range(schema.minItems, schema.maxItems, " items")}`;
  if (schema.type === "object" && schema.additionalProperties && !schema.properties)
    return `object with values of type ${typeOf(schema.additionalProperties)}`;
  if (schema.type === "integer") return `whole number${range(schema.minimum, schema.maximum, "")}`;
  if (schema.type === "string")
    return `text${schema.format === "uri" ? ", a URL" : ""}${range(schema.minLength, schema.maxLength, " characters")}`;
  return [schema.type].flat().join(" or ");
}

function range(from, to, unit) {
  const most = to === undefined || to >= Number.MAX_SAFE_INTEGER ? undefined : to;
  const least = from === undefined || from <= Number.MIN_SAFE_INTEGER || (unit !== "" && from <= 1) ? undefined : from;
  if (least === undefined && most === undefined) return "";
  if (most === undefined) return `, from ${least}${unit}`;
  return least === undefined ? `, up to ${most}${unit}` : `, ${least} to ${most}${unit}`;
}
