import { writeFileSync } from "node:fs";
import { join } from "node:path";

export const opencode = {
  name: "opencode",
  title: "opencode",
  package: "opencode-ai",
  start({ place, folder, model, run }) {
    const config = join(place.base, "opencode.json");
    writeFileSync(config, JSON.stringify(configuration(place, model)));
    return run(join(folder, "node_modules", ".bin", "opencode"), ["run", "--model", "laboratory/scripted", "Go on."], {
      OPENCODE_CONFIG: config,
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    });
  },
};

function configuration(place, model) {
  return {
    autoupdate: false,
    share: "disabled",
    permission: "allow",
    provider: {
      laboratory: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: `${model.url}/v1`, apiKey: "none" },
        models: { scripted: { name: "scripted", tool_call: true } },
      },
    },
    mcp: { ikigai: { type: "local", command: [place.command, ...place.args], enabled: true, timeout: 60_000 } },
  };
}
