// An application of the AI SDK: turns of a conversation with the tools of one MCP server. Runs in the client's folder.
import { createOpenAI } from "@ai-sdk/openai";
import { createMCPClient, ElicitationRequestSchema } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { isStepCount, streamText } from "ai";

const { url, command, args, last } = JSON.parse(process.argv[2]);
const model = createOpenAI({ baseURL: `${url}/v1`, apiKey: "none" }).chat("scripted");
const transport = new Experimental_StdioMCPTransport({ command, args });
const client = await createMCPClient({ transport, capabilities: { elicitation: {} } });
client.onElicitationRequest(ElicitationRequestSchema, async () => ({
  action: "accept",
  content: { decision: "allow" },
}));
const messages = [];
for (let said = ""; said !== last;) {
  messages.push({ role: "user", content: "Go on." });
  const run = streamText({ model, tools: await client.tools(), messages, stopWhen: isStepCount(100), maxRetries: 0 });
  said = await run.text;
  messages.push(...(await run.response).messages);
}
await client.close().catch(() => {});
process.exit();
