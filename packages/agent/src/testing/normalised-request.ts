/** A request of either protocol, in one form, so that a script can be written once. */
export interface NormalisedRequest {
  readonly protocol: "openai" | "anthropic";
  readonly model: string;
  readonly system: string;
  readonly turns: readonly NormalisedTurn[];
  readonly tools: readonly string[];
}

export type NormalisedTurn =
  | { readonly role: "user"; readonly text: string }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly calls: readonly { id: string; name: string; input: unknown }[];
    }
  | { readonly role: "result"; readonly id: string; readonly text: string };

type Json = Readonly<Record<string, unknown>>;

/** Thrown for a request that the real provider would refuse with status 400. */
export class BadRequest extends Error {
  override readonly name = "BadRequest";
}

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Checks a chat completion as OpenAI does. */
export function readOpenAi(body: Json): NormalisedRequest {
  const messages = list(body["messages"], "messages");
  const tools =
    body["tools"] === undefined
      ? []
      : list(body["tools"], "tools").map((tool) => toolName(record(tool["function"]), "parameters"));
  if (tools.length === 0 && body["tools"] !== undefined) throw new BadRequest("[] is too short - 'tools'");
  const turns: NormalisedTurn[] = [];
  let open = new Set<string>();
  let system = "";
  for (const message of messages) {
    const role = message["role"];
    if (role !== "tool" && open.size > 0)
      throw new BadRequest(`tool_call_ids did not have response messages: ${[...open].join(", ")}`);
    if (role === "system" || role === "developer") system += textOf(message["content"]);
    else if (role === "user") turns.push({ role: "user", text: textOf(message["content"]) });
    else if (role === "assistant") {
      const calls = (message["tool_calls"] === undefined ? [] : list(message["tool_calls"], "tool_calls")).map(
        (call) => {
          const { name, arguments: input } = record(call["function"]);
          return { id: String(call["id"]), name: String(name), input: parseInput(String(input)) };
        },
      );
      const text = message["content"] === null ? "" : textOf(message["content"] ?? "");
      if (calls.length === 0 && text === "") throw new BadRequest("an assistant message needs content or tool_calls");
      open = new Set(calls.map(({ id }) => id));
      if (open.size !== calls.length) throw new BadRequest("duplicate tool_call id");
      turns.push({ role: "assistant", text, calls });
    } else if (role === "tool") {
      const id = String(message["tool_call_id"]);
      if (!open.delete(id))
        throw new BadRequest("messages with role 'tool' must be a response to a preceding message with 'tool_calls'");
      turns.push({ role: "result", id, text: textOf(message["content"]) });
    } else throw new BadRequest(`unknown role ${String(role)}`);
  }
  if (open.size > 0) throw new BadRequest(`tool_call_ids did not have response messages: ${[...open].join(", ")}`);
  return { protocol: "openai", model: String(body["model"]), system, turns, tools };
}

/** Checks a message as Anthropic does. */
export function readAnthropic(body: Json): NormalisedRequest {
  if (typeof body["max_tokens"] !== "number" || body["max_tokens"] < 1)
    throw new BadRequest("max_tokens: Field required");
  const tools = (body["tools"] === undefined ? [] : list(body["tools"], "tools")).map((tool) =>
    toolName(tool, "input_schema"),
  );
  const turns: NormalisedTurn[] = [];
  let open = new Set<string>();
  let last = "";
  for (const message of list(body["messages"], "messages")) {
    const role = String(message["role"]);
    if (last === "" && role !== "user") throw new BadRequest("first message must use the user role");
    const blocks =
      typeof message["content"] === "string"
        ? [{ type: "text", text: message["content"] } as Json]
        : list(message["content"], "content");
    if (blocks.length === 0) throw new BadRequest("messages: content must not be empty");
    let text = "";
    const calls: { id: string; name: string; input: unknown }[] = [];
    const results: NormalisedTurn[] = [];
    for (const block of blocks) {
      if (block["type"] === "text") {
        if (block["text"] === "") throw new BadRequest("messages: text content blocks must be non-empty");
        text += String(block["text"]);
      } else if (block["type"] === "tool_use") {
        record(block["input"]);
        calls.push({ id: String(block["id"]), name: String(block["name"]), input: block["input"] });
      } else if (block["type"] === "tool_result") {
        const id = String(block["tool_use_id"]);
        if (!open.delete(id)) throw new BadRequest(`unexpected tool_use_id found in tool_result blocks: ${id}`);
        results.push({ role: "result", id, text: textOf(block["content"]) });
      } else throw new BadRequest(`unknown block ${String(block["type"])}`);
    }
    if (open.size > 0)
      throw new BadRequest(`tool_use ids were found without tool_result blocks: ${[...open].join(", ")}`);
    turns.push(...results);
    if (role === "assistant") turns.push({ role, text, calls });
    else if (text !== "") turns.push({ role: "user", text });
    open = new Set(calls.map(({ id }) => id));
    if (open.size !== calls.length) throw new BadRequest("tool_use ids must be unique");
    last = role;
  }
  if (open.size > 0)
    throw new BadRequest(`tool_use ids were found without tool_result blocks: ${[...open].join(", ")}`);
  return { protocol: "anthropic", model: String(body["model"]), system: textOf(body["system"] ?? ""), turns, tools };
}

function toolName(tool: Json, schemaKey: string): string {
  const name = String(tool["name"]);
  if (!TOOL_NAME.test(name)) throw new BadRequest(`tools.name: ${name} does not match ${TOOL_NAME}`);
  const schema = record(tool[schemaKey]);
  if (schema["type"] !== "object" || "oneOf" in schema || "anyOf" in schema)
    throw new BadRequest(`${name}: schema must be an object`);
  return name;
}

function parseInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadRequest("function.arguments is not valid JSON");
  }
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return list(content, "content")
    .map(({ text }) => (typeof text === "string" ? text : ""))
    .join("");
}

function list(value: unknown, what: string): Json[] {
  if (Array.isArray(value)) return value.map(record);
  throw new BadRequest(`${what} must be a list`);
}

function record(value: unknown): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw new BadRequest("expected an object");
}
