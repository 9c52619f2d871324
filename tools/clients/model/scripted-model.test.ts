import { afterEach, expect, test } from "vitest";
import { createConversation, LAST_WORDS, type OfferedTool } from "./conversation.mjs";
import { openScriptedModel } from "./scripted-model.mjs";

const schema = { type: "object", properties: {} };
const id = "call_1";
const given = "the text of the file";

/** A client's first request, the one with the result, and where the tool was named, in each protocol. */
const PROTOCOLS = [
  {
    name: "anthropic",
    path: "/v1/messages",
    body: { stream: true, tools: [{ name: "ikigai_file_read", input_schema: schema }], messages: [] },
    result: { messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: given }] }] },
  },
  {
    name: "openai chat",
    path: "/v1/chat/completions",
    body: { stream: true, tools: [{ type: "function", function: { name: "ikigai_file_read", parameters: schema } }] },
    result: { messages: [{ role: "tool", tool_call_id: id, content: [{ type: "text", text: given }] }] },
  },
  {
    name: "openai responses",
    path: "/v1/responses",
    body: {
      stream: true,
      tools: [
        { type: "namespace", name: "ikigai", tools: [{ type: "function", name: "file_read", parameters: schema }] },
      ],
    },
    result: { input: [{ type: "function_call_output", call_id: id, output: given }] },
  },
  {
    name: "gemini",
    path: "/v1beta/models/x:streamGenerateContent",
    body: { tools: [{ functionDeclarations: [{ name: "ikigai_file_read", parametersJsonSchema: schema }] }] },
    result: { contents: [{ parts: [{ functionResponse: { id, name: "x", response: { output: given } } }] }] },
  },
];

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const model of open.splice(0)) await model.close();
});

function reach(
  name: string,
  given: Record<string, unknown>,
  { tools }: { readonly tools: readonly OfferedTool[] },
): unknown {
  const tool = tools.find((offered) => offered.name.endsWith(name));
  return tool && { ...tool, arguments: given };
}

test.each(PROTOCOLS)(
  "a scripted model calls a tool and hears its result over $name",
  async ({ name, path, body, result }) => {
    const heard: (string | undefined)[] = [];
    const conversation = createConversation(async (model) => {
      heard.push(await model.call("file_read", { path: "small.txt" }));
      heard.push(await model.call("no_such_tool", {}));
    }, reach);
    const model = await openScriptedModel(conversation);
    open.push(model);
    const ask = async (request: object): Promise<string> => {
      const response = await fetch(`${model.url}${path}`, { method: "POST", body: JSON.stringify(request) });
      return response.text();
    };
    const first = await ask(body);
    expect(first).toContain("file_read");
    expect(first).toContain("small.txt");
    expect(first).toMatch(/^(event|data): /);
    expect(await ask(body)).toBe(first);
    expect(await ask({ ...body, ...result })).toContain(LAST_WORDS);
    await conversation.done;
    expect(heard).toEqual([given, undefined]);
    expect(model.protocols()).toBe(`${name}, streamed`);
  },
);

test("a request without tools, as for a title, does not disturb the script", async () => {
  const conversation = createConversation(async (model) => void (await model.call("file_read", {})), reach);
  const model = await openScriptedModel(conversation);
  open.push(model);
  const ask = async (tools: object[]): Promise<string> => {
    const body = JSON.stringify({ messages: [], ...(tools.length > 0 && { tools }) });
    return (await fetch(`${model.url}/v1/messages`, { method: "POST", body })).text();
  };
  const tool = { name: "file_read", input_schema: schema };
  const first = await ask([tool]);
  expect(await ask([])).not.toContain("file_read");
  expect(await ask([tool])).toBe(first);
});
