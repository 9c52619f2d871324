/// <reference types="node" preserve="true" />
import path from "node:path";
import { IkigaiError } from "@ikigai/core";

/** A client whose configuration we know how to write. */
export type ClientName =
  | "claude-code"
  | "claude-desktop"
  | "cursor"
  | "vscode"
  | "zed"
  | "codex"
  | "gemini"
  | "opencode";

/** How a client starts the server. */
export interface ServerEntry {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Where the user's things are. */
export interface ClientPlaces {
  readonly home: string;
  /** Default: this machine's. */
  readonly platform?: NodeJS.Platform;
  /** Windows' `%APPDATA%`. Default: `AppData/Roaming` in the home directory. */
  readonly appData?: string;
  /**
   * Variables by which the user moved a client's folder: `CLAUDE_CONFIG_DIR`, `CODEX_HOME`, `GEMINI_CLI_HOME`,
   * `OPENCODE_CONFIG_DIR`, `XDG_CONFIG_HOME`. Default: none; an empty one counts as none.
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Write the project's configuration in this folder, not the user's. */
  readonly project?: string;
}

type UserPlaces = Required<Omit<ClientPlaces, "project">>;

interface ClientFormat {
  readonly format: "json" | "toml";
  /** The object that holds the servers. */
  readonly key: string;
  /** The value that the client's configuration has for a server. */
  readonly entry: (server: Required<ServerEntry>) => Readonly<Record<string, unknown>>;
  readonly user: (places: UserPlaces) => string;
  /** Relative to the project. Absent: the client has no configuration of projects. */
  readonly project?: string;
  /** Whether the client also reads a file of the same name that ends in `.jsonc`. */
  readonly withJsonc?: boolean;
}

const CLIENTS: Readonly<Record<ClientName, ClientFormat>> = {
  "claude-code": {
    format: "json",
    key: "mcpServers",
    entry: typedEntry,
    user: ({ home, env }) => path.join(env["CLAUDE_CONFIG_DIR"] || home, ".claude.json"),
    project: ".mcp.json",
  },
  "claude-desktop": {
    format: "json",
    key: "mcpServers",
    entry: plainEntry,
    user: (places) => path.join(appFolder(places), "Claude", "claude_desktop_config.json"),
  },
  cursor: {
    format: "json",
    key: "mcpServers",
    entry: plainEntry,
    user: ({ home }) => path.join(home, ".cursor", "mcp.json"),
    project: ".cursor/mcp.json",
  },
  vscode: {
    format: "json",
    key: "servers",
    entry: typedEntry,
    user: (places) => path.join(appFolder(places), "Code", "User", "mcp.json"),
    project: ".vscode/mcp.json",
  },
  zed: {
    format: "json",
    key: "context_servers",
    entry: plainEntry,
    user: ({ home, platform, appData, env }) =>
      platform === "win32"
        ? path.join(appData, "Zed", "settings.json")
        : path.join(configFolder({ home, platform, appData, env }), "zed", "settings.json"),
    project: ".zed/settings.json",
  },
  codex: {
    format: "toml",
    key: "mcp_servers",
    entry: plainEntry,
    // A relative one is taken from the current folder, as the client does.
    user: ({ home, env }) => path.join(path.resolve(env["CODEX_HOME"] || path.join(home, ".codex")), "config.toml"),
    project: ".codex/config.toml",
  },
  gemini: {
    format: "json",
    key: "mcpServers",
    entry: plainEntry,
    user: ({ home, env }) => path.join(env["GEMINI_CLI_HOME"] || home, ".gemini", "settings.json"),
    project: ".gemini/settings.json",
  },
  opencode: {
    format: "json",
    key: "mcp",
    entry: ({ command, args, env }) => ({
      type: "local",
      command: [command, ...args],
      ...(Object.keys(env).length > 0 && { environment: { ...env } }),
      enabled: true,
    }),
    user: ({ home, env }) => {
      const folder = path.join(env["XDG_CONFIG_HOME"] || path.join(home, ".config"), "opencode");
      return path.join(env["OPENCODE_CONFIG_DIR"] || folder, "opencode.json");
    },
    project: "opencode.json",
    withJsonc: true,
  },
};

export const CLIENT_NAMES: readonly ClientName[] = Object.keys(CLIENTS) as ClientName[];

/** Contract: throws `invalid_input` for a client that is not known. */
export function clientFormat(client: ClientName): ClientFormat {
  if (Object.hasOwn(CLIENTS, client)) return CLIENTS[client];
  throw new IkigaiError("invalid_input", `No client is named ${JSON.stringify(client)}`, {
    hint: `Use one of: ${CLIENT_NAMES.join(", ")}.`,
  });
}

/** The file in which a client keeps its MCP servers. */
export function clientConfigPath(client: ClientName, places: ClientPlaces): string {
  const { user, project } = clientFormat(client);
  if (places.project !== undefined) {
    if (project !== undefined) return path.join(places.project, project);
    throw new IkigaiError("unsupported", `${client} has no configuration of its own for a project`, {
      hint: "Install it for the user.",
    });
  }
  const { home, platform = process.platform } = places;
  return user({
    home,
    platform,
    appData: places.appData ?? path.join(home, "AppData", "Roaming"),
    env: places.env ?? {},
  });
}

function plainEntry({ command, args, env }: Required<ServerEntry>): Readonly<Record<string, unknown>> {
  return { command, args: [...args], ...(Object.keys(env).length > 0 && { env: { ...env } }) };
}

/** An entry that names its kind. */
function typedEntry(server: Required<ServerEntry>): Readonly<Record<string, unknown>> {
  return { type: "stdio", ...plainEntry(server) };
}

function appFolder(places: UserPlaces): string {
  const { home, platform, appData } = places;
  if (platform === "darwin") return path.join(home, "Library", "Application Support");
  return platform === "win32" ? appData : configFolder(places);
}

/** Where programs on Linux keep their settings. Contract: a relative variable is none, as its standard says. */
function configFolder({ home, platform, env }: UserPlaces): string {
  const moved = platform === "linux" ? env["XDG_CONFIG_HOME"] : undefined;
  return moved !== undefined && path.isAbsolute(moved) ? moved : path.join(home, ".config");
}
