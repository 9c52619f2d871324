/** Anthropic's messages protocol. */
export const anthropic = {
  path: /^\/v1\/messages$/,
  read({ tools = [], messages = [], stream = false }) {
    const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
    return {
      stream,
      tools: tools.map(({ name, description, input_schema }) => ({ name, description, schema: input_schema })),
      results: blocks
        .filter(({ type }) => type === "tool_result")
        .map(({ tool_use_id, content }) => ({ id: tool_use_id, text: textOf(content) })),
      text: blocks.map((block) => block.text ?? textOf(block.content)).join("\n"),
    };
  },
  /** Server-sent events of a reply. */
  events(reply) {
    const message = { ...whole(reply), content: [], stop_reason: null };
    return [
      event("message_start", { message }),
      event("content_block_start", {
        index: 0,
        content_block: { ...blockOf(reply), ...(reply.call && { input: {} }) },
      }),
      event("content_block_delta", { index: 0, delta: deltaOf(reply) }),
      event("content_block_stop", { index: 0 }),
      event("message_delta", { delta: { stop_reason: stopOf(reply), stop_sequence: null }, usage }),
      event("message_stop", {}),
    ];
  },
  whole,
};

const usage = { input_tokens: 10, output_tokens: 10 };

function event(type, data) {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

function whole(reply) {
  return {
    id: `msg_${reply.id}`,
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: [reply.call ? { ...blockOf(reply), input: reply.call.arguments } : { type: "text", text: reply.text }],
    stop_reason: stopOf(reply),
    stop_sequence: null,
    usage,
  };
}

function blockOf({ id, call }) {
  return call ? { type: "tool_use", id, name: call.name, input: {} } : { type: "text", text: "" };
}

function deltaOf({ call, text }) {
  return call
    ? { type: "input_json_delta", partial_json: JSON.stringify(call.arguments) }
    : { type: "text_delta", text };
}

function stopOf({ call }) {
  return call ? "tool_use" : "end_turn";
}

function textOf(content) {
  if (typeof content === "string") return content;
  return (content ?? []).map((block) => block.text ?? JSON.stringify(block)).join("\n");
}
