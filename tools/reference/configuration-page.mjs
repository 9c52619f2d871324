import { code, table, typeOf } from "./tables.mjs";

/** The page of the configuration, from its published JSON Schema. */
export function configurationPage(schema) {
  const rows = [...fieldsOf(schema, "")].map(([path, one, needed]) => [
    code(path),
    typeOf(one),
    needed ? "required" : "",
    one.description ?? "",
  ]);
  return `# Configuration

\`ikigai.config.json\` in the workspace takes effect once you ran \`ikigai trust\`; the same file in your own configuration folder
(\`$XDG_CONFIG_HOME/ikigai\`, else \`~/.config/ikigai\`) always does. A field that is not listed here is refused. The JSON Schema is
\`schema/ikigai.config.schema.json\` in the package \`ikigai\`; name it in \`$schema\` and your editor completes the rest.

${table(["field", "type", "", "meaning"], rows)}

## An example

\`\`\`json
{
  "rules": [{ "glob": "generated/**", "permission": "read_only" }],
  "budget": 60000,
  "sources": [
    { "use": "@ikigai/source-file", "mount": "handbook", "options": { "root": "../handbook" }, "permission": "read_only" }
  ],
  "agents": [{ "name": "reviewer", "tools": ["file_read", "grep"], "rules": { "max_calls": { "grep": 20 } } }]
}
\`\`\`
`;
}

/** Every field with its path, depth first, in the order of the schema. */
function* fieldsOf({ properties = {}, required = [] }, prefix) {
  for (const [name, schema] of Object.entries(properties)) {
    const path = `${prefix}${name}`;
    if (name === "$schema") continue;
    const items = schema.type === "array" ? schema.items : undefined;
    yield [path, items?.properties ? { ...schema, items: { type: "objects" } } : schema, required.includes(name)];
    if (items?.properties) yield* fieldsOf(items, `${path}[].`);
    else if (schema.properties) yield* fieldsOf(schema, `${path}.`);
    else if (schema.additionalProperties?.properties) yield* fieldsOf(schema.additionalProperties, `${path}.NAME.`);
    else yield* kindsOf(schema, path);
  }
}

/** The fields of an object that is of one of several kinds, each told apart by a constant. */
function* kindsOf({ anyOf, oneOf }, path) {
  for (const kind of (anyOf ?? oneOf ?? []).filter(({ properties }) => properties)) {
    const [told] = Object.entries(kind.properties).filter(([, one]) => one.const !== undefined);
    yield* fieldsOf(kind, told === undefined ? `${path}.` : `${path}(${told[0]}=${told[1].const}).`);
  }
}
