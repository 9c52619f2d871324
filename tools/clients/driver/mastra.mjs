// An application of Mastra: turns of a conversation with the tools of one MCP server. Runs in the client's folder.
import { createOpenAI } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { MCPClient } from "@mastra/mcp";

const { url, command, args, last } = JSON.parse(process.argv[2]);
const model = createOpenAI({ baseURL: `${url}/v1`, apiKey: "none" }).chat("scripted");
const allow = async () => ({ action: "accept", content: { decision: "allow" } });
const client = new MCPClient({
  id: "laboratory",
  servers: { ikigai: { command, args, inputRequests: allow } },
  timeout: 60_000,
});
const messages = [];
for (let said = ""; said !== last;) {
  const tools = await client.listTools();
  const agent = new Agent({ id: "laboratory", name: "laboratory", instructions: "Go on.", model, tools });
  messages.push({ role: "user", content: "Go on." });
  const run = await agent.stream(messages, { maxSteps: 100 });
  said = await run.text;
  messages.push({ role: "assistant", content: said });
}
await client.disconnect().catch(() => {});
process.exit();
