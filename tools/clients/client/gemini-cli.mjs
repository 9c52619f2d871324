import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const geminiCli = {
  name: "gemini-cli",
  title: "Gemini CLI",
  package: "@google/gemini-cli",
  start({ place, folder, node, model, run }) {
    mkdirSync(join(place.home, ".gemini"));
    const settings = {
      security: { auth: { selectedType: "gemini-api-key" } },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      telemetry: { enabled: false },
      privacy: { usageStatisticsEnabled: false },
      mcpServers: { ikigai: { command: place.command, args: place.args, trust: true, timeout: 60_000 } },
    };
    writeFileSync(join(place.home, ".gemini", "settings.json"), JSON.stringify(settings));
    const program = join(folder, "node_modules", ".bin", "gemini");
    return run(node, [program, "-p", "Go on.", "-m", "gemini-2.5-pro", "--approval-mode", "yolo", "--skip-trust"], {
      GEMINI_API_KEY: "none",
      GOOGLE_GEMINI_BASE_URL: model.url,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    });
  },
};
