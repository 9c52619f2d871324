import { homedir } from "node:os";
import { join } from "node:path";

/** Where this user's state lives, by the custom of the platform. */
export function dataDirectory(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  if (env["XDG_DATA_HOME"]) return join(env["XDG_DATA_HOME"], "ikigai");
  if (platform === "darwin") return join(home, "Library", "Application Support", "ikigai");
  if (platform === "win32") return join(env["LOCALAPPDATA"] ?? join(home, "AppData", "Local"), "ikigai");
  return join(home, ".local", "share", "ikigai");
}
