import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const codex = {
  name: "codex",
  title: "Codex",
  package: "@openai/codex",
  limits: { "list change": "it reads the list once for a session" },
  remark:
    "its configuration has `required = true`: without it the first turn does not wait for a server that is starting",
  start({ place, folder, model, run }) {
    const home = join(place.home, "codex");
    mkdirSync(home);
    writeFileSync(join(home, "config.toml"), configuration(place, model));
    const args = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "Go on."];
    return run(join(folder, "node_modules", ".bin", "codex"), args, { CODEX_HOME: home, LABORATORY_KEY: "none" });
  },
};

function configuration(place, model) {
  return `
model = "gpt-5"
model_provider = "laboratory"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
apps = false
plugins = false

[model_providers.laboratory]
name = "laboratory"
base_url = ${JSON.stringify(`${model.url}/v1`)}
wire_api = "responses"
env_key = "LABORATORY_KEY"
supports_websockets = false

[mcp_servers.ikigai]
command = ${JSON.stringify(place.command)}
args = ${JSON.stringify(place.args)}
startup_timeout_sec = 60
required = true
`;
}
