import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LAST_WORDS } from "../model/conversation.mjs";

const TELEMETRY_OFF = { LANGSMITH_TRACING: "false", MASTRA_TELEMETRY_DISABLED: "1", AI_SDK_TELEMETRY_DISABLED: "1" };

/** A library for applications: `driver/NAME.mjs` is the application, which lists the tools for each turn. */
function library(client) {
  return {
    ...client,
    hasTurns: true,
    start({ place, folder, node, model, run }) {
      // Packages are found from where a file lies.
      const application = join(folder, `${client.name}.mjs`);
      copyFileSync(fileURLToPath(new URL(`../driver/${client.name}.mjs`, import.meta.url)), application);
      const facts = { url: model.url, command: place.command, args: place.args, last: LAST_WORDS };
      return run(node, [application, JSON.stringify(facts)], TELEMETRY_OFF);
    },
  };
}

export const libraries = [
  library({ name: "ai-sdk", title: "AI SDK", package: "@ai-sdk/mcp", approves: true }),
  library({ name: "openai-agents", title: "OpenAI Agents SDK", package: "@openai/agents" }),
  library({
    name: "langchain",
    title: "LangChain MCP adapters",
    package: "@langchain/mcp-adapters",
    limits: { "list change": "its client keeps the list that it read first" },
  }),
  library({ name: "mastra", title: "Mastra", package: "@mastra/mcp", approves: true }),
];
