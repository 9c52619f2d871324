/** OpenAI's chat completions protocol. */
export const openaiChat = {
  path: /\/chat\/completions$/,
  read({ tools = [], messages = [], stream = false }) {
    return {
      stream,
      tools: tools.map(({ function: { name, description, parameters } }) => ({
        name,
        description,
        schema: parameters,
      })),
      results: messages
        .filter(({ role }) => role === "tool")
        .map(({ tool_call_id, content }) => ({ id: tool_call_id, text: textOf(content) })),
    };
  },
  events(reply) {
    const { id, call, text } = reply;
    const part = (delta, finish_reason = null) =>
      `data: ${JSON.stringify({ ...head(reply), object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const named = call && { index: 0, id, type: "function", function: { name: call.name, arguments: "" } };
    const filled = call && { index: 0, function: { arguments: JSON.stringify(call.arguments) } };
    return [
      part({ role: "assistant", ...(call ? { content: null, tool_calls: [named] } : { content: "" }) }),
      part(call ? { tool_calls: [filled] } : { content: text }),
      part({}, call ? "tool_calls" : "stop"),
      `data: ${JSON.stringify({ ...head(reply), object: "chat.completion.chunk", choices: [], usage })}\n\n`,
      "data: [DONE]\n\n",
    ];
  },
  whole(reply) {
    const { id, call, text } = reply;
    const called = call && {
      tool_calls: [{ id, type: "function", function: { name: call.name, arguments: JSON.stringify(call.arguments) } }],
    };
    const message = { role: "assistant", content: call ? null : text, ...called };
    const choices = [{ index: 0, message, finish_reason: call ? "tool_calls" : "stop" }];
    return { ...head(reply), object: "chat.completion", choices, usage };
  },
};

const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };

function head({ id }) {
  return { id: `chatcmpl-${id}`, created: 1_700_000_000, model: "gpt-4.1" };
}

function textOf(content) {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text ?? JSON.stringify(part)).join("\n");
}
