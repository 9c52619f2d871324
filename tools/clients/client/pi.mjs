import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const pi = {
  name: "pi",
  title: "pi with pi-mcp-adapter",
  package: "@earendil-works/pi-coding-agent",
  remark: "pi itself has no MCP; its extension pi-mcp-adapter has, here with `directTools`",
  /** The adapter starts a server when the model asks for it, then adds its tools to the conversation. */
  prepare: (model) => model.callOwn("mcp", { connect: "ikigai" }),
  start({ place, folder, node, model, run }) {
    const home = join(place.home, "pi");
    mkdirSync(home);
    const api = { baseUrl: `${model.url}/v1`, api: "openai-completions", apiKey: "none", models: [{ id: "scripted" }] };
    writeFileSync(join(home, "models.json"), JSON.stringify({ providers: { laboratory: api } }));
    const server = { command: place.command, args: place.args, directTools: true };
    writeFileSync(join(home, "mcp.json"), JSON.stringify({ mcpServers: { ikigai: server } }));
    const modules = join(folder, "node_modules");
    const extension = ["--no-extensions", "--extension", join(modules, "pi-mcp-adapter", "index.ts")];
    const chosen = ["--provider", "laboratory", "--model", "scripted", "--no-session", "--offline"];
    return run(node, [join(modules, ".bin", "pi"), "-p", "Go on.", ...chosen, ...extension], {
      PI_CODING_AGENT_DIR: home,
      PI_OFFLINE: "1",
    });
  },
};
