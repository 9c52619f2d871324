// An application of the OpenAI Agents SDK: turns of a conversation with one MCP server. Runs in the client's folder.
import { Agent, MCPServerStdio, run, setDefaultOpenAIClient, setOpenAIAPI, setTracingDisabled } from "@openai/agents";
import OpenAI from "openai";

const { url, command, args, last } = JSON.parse(process.argv[2]);
setTracingDisabled(true);
setOpenAIAPI("responses");
setDefaultOpenAIClient(new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 }));
// Unless told otherwise this library gives up after 5 s, its first request included: a busy machine takes longer to start a program.
const clientSessionTimeoutSeconds = 60;
const server = new MCPServerStdio({ name: "ikigai", command, args, cacheToolsList: true, clientSessionTimeoutSeconds });
await server.connect();
const agent = new Agent({ name: "laboratory", model: "gpt-5", mcpServers: [server] });
let history = [];
for (let said = ""; said !== last;) {
  await server.invalidateToolsCache();
  const turn = await run(agent, [...history, { role: "user", content: "Go on." }], { stream: true, maxTurns: 100 });
  await turn.completed;
  ({ history, finalOutput: said } = turn);
}
await server.close().catch(() => {});
process.exit();
