import { homedir } from "node:os";
import { join } from "node:path";

/** Where this user's own configuration lives, by the custom of the platform. */
export function configDirectory(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  if (env["XDG_CONFIG_HOME"]) return join(env["XDG_CONFIG_HOME"], "ikigai");
  if (platform === "darwin") return join(home, "Library", "Preferences", "ikigai");
  if (platform === "win32") return join(env["APPDATA"] ?? join(home, "AppData", "Roaming"), "ikigai");
  return join(home, ".config", "ikigai");
}
