import { code, table, typeOf } from "./tables.mjs";

/** The page of the tools: cards, fields, operations, effects and answers. */
export function toolsPage({ cards, calls }, toolsets) {
  const index = cards.map(({ name, title, annotations = {} }) => [
    `[\`${name}\`](#${name})`,
    title ?? "",
    Object.keys(toolsets)
      .filter((set) => toolsets[set].includes(name))
      .map(code)
      .join(", "),
    annotations.readOnly ? "yes" : "",
  ]);
  return `# Tools

Every tool that \`ikigai\` offers with nothing configured, as a model is shown it, and calls of it as they were made: what a call
touches is what the policy judges before it runs. Every answer is an envelope; a failure has a [code](errors.md).

${table(["tool", "title", "toolset", "only reads"], index)}

${cards
  .map((card) =>
    section(
      card,
      calls.filter(({ name }) => name === card.name),
    ),
  )
  .join("\n\n")}
`;
}

function section({ name, description, inputSchema, outputSchema }, calls) {
  const [text, operations] = split(description);
  const parts = [`## ${name}`, text, fields(inputSchema)];
  if (operations.length > 0) parts.push(table(["operation", "what it does"], operations));
  if (outputSchema) parts.push(`Answers with ${names(outputSchema)}.`);
  if (calls.length > 0) parts.push(table(["a call", "touches", "answers"], calls.map(row)));
  return parts.join("\n\n");
}

/** The description's own text, and its list of operations. */
function split(description) {
  const lines = description.split("\n");
  const listed = lines.map((line) => /^- (\/?[a-z_]+)([^:]*): (.*)$/.exec(line));
  return [
    lines.filter((_, at) => !listed[at]).join("\n"),
    listed.filter(Boolean).map(([, name, rest, text]) => [code(`${name}${rest}`), text]),
  ];
}

function fields({ properties = {}, required = [] }) {
  const rows = Object.entries(properties).map(([name, schema]) => [
    code(name),
    typeOf(schema),
    required.includes(name) ? "required" : schema.default === undefined ? "" : code(JSON.stringify(schema.default)),
    schema.description ?? "",
  ]);
  return rows.length === 0 ? "Takes no fields." : table(["field", "type", "default", "meaning"], rows);
}

const names = ({ properties = {} }) => Object.keys(properties).map(code).join(", ");

function row({ arguments: input, effects, answer }) {
  return [code(JSON.stringify(input)), effects.map(code).join("<br>") || "nothing", said(answer)];
}

function said(answer) {
  if (!answer.success) return `${code(answer.code)}: ${answer.error.replaceAll(/\s+/g, " ")}`;
  const { data } = answer;
  if (typeof data !== "object" || data === null) return "data";
  return Array.isArray(data) ? "a list" : Object.keys(data).map(code).join(", ");
}
