// An MCP server whose list of tools grows by `late` once a file exists. Spoken by hand: it needs no package.
import { existsSync, watch } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";

const trigger = process.argv[2];
let grown = existsSync(trigger);
const tool = (name, description) => ({ name, description, inputSchema: { type: "object", properties: {} } });

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

watch(dirname(trigger), () => {
  if (grown || !existsSync(trigger)) return;
  grown = true;
  send({ method: "notifications/tools/list_changed" });
});

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  if (method === "initialize") {
    const capabilities = { tools: { listChanged: true } };
    const serverInfo = { name: "growing", version: "1" };
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities, serverInfo } });
  } else if (method === "tools/list") {
    const tools = [tool("early", "Is there from the start."), ...(grown ? [tool("late", "Came later.")] : [])];
    send({ id, result: { tools } });
  } else if (method === "tools/call") {
    send({ id, result: { content: [{ type: "text", text: `${params.name} answers` }] } });
  } else if (method === "ping") {
    send({ id, result: {} });
  } else {
    send({ id, error: { code: -32601, message: "not here" } });
  }
}
process.exit();
