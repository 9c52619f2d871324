/** Google's generateContent protocol. */
export const gemini = {
  path: /:(generateContent|streamGenerateContent)$/,
  read({ tools = [], contents = [] }, path) {
    const parts = contents.flatMap(({ parts: given = [] }) => given);
    return {
      stream: path.endsWith(":streamGenerateContent"),
      tools: tools.flatMap(({ functionDeclarations = [] }) =>
        functionDeclarations.map(({ name, description, parameters, parametersJsonSchema }) => ({
          name,
          description,
          schema: parametersJsonSchema ?? parameters,
        })),
      ),
      results: parts
        .filter(({ functionResponse }) => functionResponse !== undefined)
        .map(({ functionResponse: { id, response } }) => ({
          id,
          text: response.output ?? response.error ?? JSON.stringify(response),
        })),
    };
  },
  events: (reply) => [`data: ${JSON.stringify(whole(reply))}\n\n`],
  whole,
};

function whole({ id, call, text }) {
  const part = call ? { functionCall: { id, name: call.name, args: call.arguments } } : { text };
  return {
    responseId: id,
    modelVersion: "gemini-2.5-pro",
    candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
  };
}
