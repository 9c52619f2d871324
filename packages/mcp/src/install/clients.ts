import path from "node:path";
import { IkigaiError } from "@ikigai/core";

/** A client whose configuration we know how to write. */
export type ClientName = "claude-code" | "claude-desktop" | "cursor" | "vscode" | "zed" | "codex";

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
  /** Write the project's configuration in this folder, not the user's. */
  readonly project?: string;
}

interface ClientFormat {
  readonly format: "json" | "toml";
  /** The object that holds the servers. */
  readonly key: string;
  /** Whether an entry names its kind. */
  readonly typed: boolean;
  readonly user: (places: Required<Omit<ClientPlaces, "project">>) => string;
  /** Relative to the project. Absent: the client has no configuration of projects. */
  readonly project?: string;
}

const CLIENTS: Readonly<Record<ClientName, ClientFormat>> = {
  "claude-code": {
    format: "json",
    key: "mcpServers",
    typed: true,
    user: ({ home }) => path.join(home, ".claude.json"),
    project: ".mcp.json",
  },
  "claude-desktop": {
    format: "json",
    key: "mcpServers",
    typed: false,
    user: (places) => path.join(appFolder(places), "Claude", "claude_desktop_config.json"),
  },
  cursor: {
    format: "json",
    key: "mcpServers",
    typed: false,
    user: ({ home }) => path.join(home, ".cursor", "mcp.json"),
    project: ".cursor/mcp.json",
  },
  vscode: {
    format: "json",
    key: "servers",
    typed: true,
    user: (places) => path.join(appFolder(places), "Code", "User", "mcp.json"),
    project: ".vscode/mcp.json",
  },
  zed: {
    format: "json",
    key: "context_servers",
    typed: false,
    user: ({ home, platform, appData }) =>
      platform === "win32"
        ? path.join(appData, "Zed", "settings.json")
        : path.join(home, ".config", "zed", "settings.json"),
    project: ".zed/settings.json",
  },
  codex: {
    format: "toml",
    key: "mcp_servers",
    typed: false,
    user: ({ home }) => path.join(home, ".codex", "config.toml"),
    project: ".codex/config.toml",
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
  return user({ home, platform, appData: places.appData ?? path.join(home, "AppData", "Roaming") });
}

function appFolder({ home, platform, appData }: Required<Omit<ClientPlaces, "project">>): string {
  if (platform === "darwin") return path.join(home, "Library", "Application Support");
  return platform === "win32" ? appData : path.join(home, ".config");
}
