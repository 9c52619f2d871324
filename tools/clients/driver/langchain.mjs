// An application of LangChain with its MCP adapters: turns of a conversation. Runs in the client's folder.
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { ChatOpenAI } from "@langchain/openai";

const { url, command, args, last } = JSON.parse(process.argv[2]);
const configuration = { baseURL: `${url}/v1` };
const llm = new ChatOpenAI({ model: "scripted", apiKey: "none", configuration, maxRetries: 0 });
const client = new MultiServerMCPClient({ mcpServers: { ikigai: { transport: "stdio", command, args } } });
let messages = [];
for (let said = ""; said !== last;) {
  const agent = createReactAgent({ llm, tools: await client.getTools() });
  const input = { messages: [...messages, { role: "user", content: "Go on." }] };
  const run = await agent.stream(input, { recursionLimit: 300, streamMode: ["values", "messages"] });
  for await (const [mode, state] of run) if (mode === "values") ({ messages } = state);
  said = messages.at(-1).text;
}
await client.close().catch(() => {});
process.exit();
