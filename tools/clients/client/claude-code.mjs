import { writeFileSync } from "node:fs";
import { join } from "node:path";

const SEARCH = "ToolSearch";
const PREFIX = "mcp__ikigai__";

export const claudeCode = {
  name: "claude-code",
  title: "Claude Code",
  package: "@anthropic-ai/claude-code",
  /** Tools that it defers are named in the text; the model loads one by its search before it calls it. */
  offered: ({ tools, text }) => [
    ...tools,
    ...[...text.matchAll(/^mcp__ikigai__\w+$/gm)].map(([name]) => ({ name, description: "deferred" })),
  ],
  reach(name, given, { tools, text }) {
    const call = (loaded) => ({ name: loaded, arguments: given });
    const known = tools.find((tool) => tool.name.startsWith(PREFIX) && tool.name.endsWith(`__${name}`));
    if (known !== undefined) return call(known.name);
    const deferred = new RegExp(`^${PREFIX}(\\w+__)?${name}$`, "m").exec(text)?.[0];
    if (deferred === undefined) return undefined;
    return {
      first: { name: SEARCH, arguments: { query: `select:${deferred}`, max_results: 1 } },
      after: call(deferred),
    };
  },
  start({ place, folder, model, run }) {
    const config = join(place.base, "mcp.json");
    const server = { type: "stdio", command: place.command, args: place.args };
    writeFileSync(config, JSON.stringify({ mcpServers: { ikigai: server } }));
    const args = ["-p", "Go on.", "--mcp-config", config, "--strict-mcp-config"];
    const allowed = ["--permission-mode", "acceptEdits", "--allowedTools", "mcp__ikigai"];
    return run(join(folder, "node_modules", ".bin", "claude"), [...args, ...allowed, "--model", "claude-sonnet-4-5"], {
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CONFIG_DIR: join(place.home, "claude"),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_AUTOUPDATER: "1",
    });
  },
};
