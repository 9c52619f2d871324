import { access, constants } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { IkigaiError } from "@ikigai/core";
import type { ApprovalMode } from "@ikigai/core/host";
import type { ClientConfigChange, ClientName, ClientPlaces } from "@ikigai/mcp";
import { loadPart } from "../parts/features.ts";
import type { Place } from "../place/place.ts";
import { whyNoWorkspace } from "./why-no-workspace.ts";

/** The clients whose configuration can be written: as the package of MCP has them, which is not loaded to show help. */
export const CLIENTS: readonly ClientName[] = [
  "claude-code",
  "claude-desktop",
  "cursor",
  "vscode",
  "zed",
  "codex",
  "gemini",
  "opencode",
];
/** Clients that start a server in no folder of their user's, so that theirs is written down. */
const WITHOUT_FOLDER: ReadonlySet<ClientName> = new Set(["claude-desktop"]);

/** How the server that a client starts shall be started. What is absent is left to the server's own defaults. */
export interface ClientEntryOptions {
  /** Whether the workspace of the place was chosen, so that the entry names it. Default false. */
  readonly namesRoot?: boolean;
  /** Whether the store of the place was chosen, so that the entry names it. Default false. */
  readonly namesStore?: boolean;
  readonly approve?: ApprovalMode;
  /** Toolsets and tools, separated by commas. */
  readonly tools?: string;
  readonly mountHost?: boolean;
  /** The workspace unless the client names its own. */
  readonly defaultRoot?: string;
  /** Whether it goes into the project's configuration, in the workspace, and not into the user's. Default false. */
  readonly project?: boolean;
  /** The program and its script as this process was started. */
  readonly program: readonly string[];
}

/** What would be written to a client's configuration. Nothing is written before `change.apply`. */
export interface ClientEntryPlan {
  readonly change: ClientConfigChange;
  /** What its user should know. */
  readonly notes: readonly string[];
}

/** Contract: `invalid_input` for a client that is not known. */
export function knownClient(client: string): ClientName {
  const known = CLIENTS.find((name) => name === client);
  if (known !== undefined) return known;
  throw new IkigaiError("invalid_input", `${JSON.stringify(client)} is no known client`, {
    hint: `Known are: ${CLIENTS.join(", ")}.`,
  });
}

/** Plans to add ikigai to a client's configuration. Contract: writes nothing; `invalid_input` for a project that is none. */
export async function planClientEntry(
  client: ClientName,
  place: Place,
  options: ClientEntryOptions,
): Promise<ClientEntryPlan> {
  const { project = false, namesRoot = false } = options;
  const whyNone = namesRoot ? undefined : whyNoWorkspace(place.root);
  if (project && whyNone !== undefined) {
    throw new IkigaiError("invalid_input", `There is no project to write to: ${whyNone}`, {
      hint: "Leave --project out to write the user's configuration.",
    });
  }
  const notes: string[] = [];
  if (WITHOUT_FOLDER.has(client) && options.defaultRoot === undefined && whyNone !== undefined)
    notes.push(`The entry names no folder: ${whyNone}, or with --default-root`);
  const shared = project ? await findProgram("ikigai") : undefined;
  if (project && shared === undefined)
    notes.push("The entry names paths of this machine: for others, put ikigai on the PATH and install it again.");
  const { installClient } = await loadPart("@ikigai/mcp", "mcp");
  const [command = "", ...rest] = shared ?? options.program;
  const args = [...rest, "mcp", ...serverFlags(client, place, options, whyNone === undefined)];
  return { change: await installClient(client, { command, args }, clientPlaces(place, project)), notes };
}

/** Plans to take ikigai out of a client's configuration. Contract: writes nothing. */
export async function planClientRemoval(
  client: ClientName,
  place: Place,
  project: boolean,
): Promise<ClientConfigChange> {
  const { uninstallClient } = await loadPart("@ikigai/mcp", "mcp");
  return uninstallClient(client, clientPlaces(place, project));
}

/**
 * The flags that make a server which a client starts do as its user was told.
 *
 * Contract: the folder that this process runs in is not among them for a client that starts its servers where its user
 * works, since the entry is for every project.
 */
function serverFlags(client: ClientName, place: Place, options: ClientEntryOptions, isWorkspace: boolean): string[] {
  const { namesRoot = false, namesStore = false, approve, tools, mountHost, defaultRoot } = options;
  const fallback = defaultRoot ?? (WITHOUT_FOLDER.has(client) && isWorkspace ? place.root : undefined);
  return [
    ...(namesRoot ? ["--root", place.root] : []),
    ...(namesRoot || fallback === undefined ? [] : ["--default-root", resolve(fallback)]),
    ...(namesStore ? ["--store", place.storeUrl ?? place.stateDirectory] : []),
    ...(place.agent === "default" ? [] : ["--agent", place.agent]),
    ...(approve === undefined ? [] : ["--approve", approve]),
    ...(tools === undefined ? [] : ["--tools", tools]),
    ...(mountHost === true ? ["--mount-host"] : []),
  ];
}

function clientPlaces({ root }: Place, project: boolean): ClientPlaces {
  const appData = process.env["APPDATA"];
  return {
    home: homedir(),
    env: process.env,
    ...(appData !== undefined && { appData }),
    ...(project && { project: root }),
  };
}

/**
 * How anybody who has a program starts it: by its name.
 *
 * Contract: absent where the PATH does not lead to it, and on Windows, where a client cannot start it by its name alone.
 */
async function findProgram(name: string): Promise<readonly string[] | undefined> {
  if (process.platform === "win32") return undefined;
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const there = await access(join(folder, name), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (there) return [name];
  }
  return undefined;
}
