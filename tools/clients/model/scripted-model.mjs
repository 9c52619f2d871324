// A model server on loopback that speaks four protocols and says what a script tells it to.
import { createServer } from "node:http";
import { once } from "node:events";
import { anthropic } from "./anthropic.mjs";
import { gemini } from "./gemini.mjs";
import { openaiChat } from "./openai-chat.mjs";
import { openaiResponses } from "./openai-responses.mjs";

const PROTOCOLS = { anthropic, gemini, "openai chat": openaiChat, "openai responses": openaiResponses };
const MODELS = {
  object: "list",
  data: [{ id: "scripted", object: "model", created: 1_700_000_000, owned_by: "ikigai" }],
};

/** Contract: answers each client's request by `conversation`; whoever opens it closes it. */
export async function openScriptedModel(conversation, log = () => {}) {
  const used = new Set();
  const serve = async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const body = await bodyOf(request);
    log({ method: request.method, path: request.url, body });
    const found = Object.entries(PROTOCOLS).find(([, { path }]) => request.method === "POST" && path.test(pathname));
    if (found === undefined) return answerAside(pathname, response);
    const [name, protocol] = found;
    const read = protocol.read(body, pathname);
    const reply = await conversation.answer(read);
    if (read.tools.length > 0) used.add(`${name}${read.stream ? ", streamed" : ""}`);
    response.writeHead(200, { "content-type": read.stream ? "text/event-stream" : "application/json" });
    if (!read.stream) return response.end(JSON.stringify(protocol.whole(reply)));
    for (const event of protocol.events(reply)) response.write(event);
    response.end();
  };
  const server = createServer((request, response) => {
    serve(request, response).catch((error) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** The protocols in which tools were offered, in words. */
    protocols: () => [...used].join("; "),
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** What clients ask a provider for besides answers. */
function answerAside(path, response) {
  const known = path.endsWith("/count_tokens")
    ? { input_tokens: 10 }
    : path.endsWith(":countTokens")
      ? { totalTokens: 10 }
      : path.endsWith("/models")
        ? MODELS
        : undefined;
  response.writeHead(known === undefined ? 404 : 200, { "content-type": "application/json" });
  response.end(JSON.stringify(known ?? { error: { type: "not_found_error", message: "not here" } }));
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  return text === "" ? {} : JSON.parse(text);
}
