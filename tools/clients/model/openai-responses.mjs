/** OpenAI's responses protocol. */
export const openaiResponses = {
  path: /\/responses$/,
  read({ tools = [], input = [], stream = false }) {
    const items = typeof input === "string" ? [] : input;
    return {
      stream,
      tools: tools.flatMap(toolsOf),
      results: items
        .filter(({ type }) => type === "function_call_output" || type === "tool_search_output")
        .map(({ call_id, output, ...rest }) => ({ id: call_id, text: textOf(output ?? rest) })),
    };
  },
  events(reply) {
    const started = { ...whole(reply), status: "in_progress", output: [] };
    const item = itemOf(reply);
    const place = { output_index: 0, item_id: item.id };
    const steps = reply.call
      ? [
          {
            type: "response.output_item.added",
            output_index: 0,
            item: { ...item, arguments: "", status: "in_progress" },
          },
          { type: "response.function_call_arguments.delta", ...place, delta: item.arguments },
          { type: "response.function_call_arguments.done", ...place, name: item.name, arguments: item.arguments },
        ]
      : [
          {
            type: "response.output_item.added",
            output_index: 0,
            item: { ...item, content: [], status: "in_progress" },
          },
          { type: "response.content_part.added", ...place, content_index: 0, part: { ...item.content[0], text: "" } },
          { type: "response.output_text.delta", ...place, content_index: 0, delta: reply.text, logprobs: [] },
          { type: "response.output_text.done", ...place, content_index: 0, text: reply.text, logprobs: [] },
          { type: "response.content_part.done", ...place, content_index: 0, part: item.content[0] },
        ];
    const all = [
      { type: "response.created", response: started },
      { type: "response.in_progress", response: started },
      ...steps,
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: whole(reply) },
    ];
    return all.map(
      (event, index) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: index })}\n\n`,
    );
  },
  whole,
};

/** A namespace groups functions: the model calls one by its name and the namespace's. */
function toolsOf(tool) {
  if (tool.type === "namespace") return tool.tools.map((inner) => ({ ...described(inner), namespace: tool.name }));
  return [described(tool)];
}

function described({ type, name = type, description, parameters }) {
  return { name, description, schema: parameters };
}

function itemOf({ id, call, text }) {
  if (call === undefined) {
    const content = [{ type: "output_text", text, annotations: [], logprobs: [] }];
    return { type: "message", id: `msg_${id}`, role: "assistant", status: "completed", content };
  }
  const { name, namespace, arguments: given } = call;
  const named = { name, ...(namespace !== undefined && { namespace }) };
  return {
    type: "function_call",
    id: `fc_${id}`,
    call_id: id,
    ...named,
    arguments: JSON.stringify(given),
    status: "completed",
  };
}

function whole(reply) {
  return {
    id: `resp_${reply.id}`,
    object: "response",
    created_at: 1_700_000_000,
    status: "completed",
    error: null,
    incomplete_details: null,
    model: "gpt-5",
    output: [itemOf(reply)],
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    usage: {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 10,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 20,
    },
  };
}

function textOf(output) {
  if (typeof output === "string") return output;
  if (Array.isArray(output)) return output.map((part) => part.text ?? JSON.stringify(part)).join("\n");
  return JSON.stringify(output);
}
