import { join } from "node:path";
import { checksOf } from "../checks.mjs";

/** The Inspector's command line has no model: what it prints of an answer stands for what a model would receive. */
function inspector(name) {
  const client = {
    name,
    title: "MCP Inspector",
    package: "@modelcontextprotocol/inspector",
    protocol: "none: its command line",
    separateCalls: true,
    limits: { "killed server": "each call starts a server of its own" },
    async start({ place, folder, node, run, record }) {
      const program = join(folder, "node_modules", ".bin", "mcp-inspector");
      const inspect = async (...request) => {
        const args = [program, "--cli", place.command, ...place.args, ...request];
        return run(node, args, {});
      };
      await checksOf(place, record, client)(await asModel(inspect));
      return { code: 0, output: "" };
    },
  };
  return client;
}

async function asModel(inspect) {
  let tools = await list();
  async function list() {
    const { output } = await inspect("--method", "tools/list");
    return parsed(output)?.tools ?? [];
  }
  return {
    offer: () => ({ tools }),
    offers: (name) => tools.some((tool) => tool.name.endsWith(name)),
    async call(name, given) {
      const values = Object.entries(given).flatMap(([key, value]) => ["--tool-arg", `${key}=${value}`]);
      const { output, errors, timedOut } = await inspect("--method", "tools/call", "--tool-name", name, ...values);
      if (timedOut) return "no answer in time";
      const content = parsed(output)?.content;
      return content === undefined
        ? output || errors
        : content.map((part) => part.text ?? JSON.stringify(part)).join("\n");
    },
    async endTurn() {
      tools = await list();
    },
  };
}

function parsed(output) {
  try {
    return JSON.parse(output);
  } catch {
    return undefined;
  }
}

export const inspectors = [inspector("inspector"), inspector("inspector-0.15")];
