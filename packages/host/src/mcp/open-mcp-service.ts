import type { ClientRoot, LogLevel, McpServer } from "@ikigai/mcp";
import type { HostOptions } from "../host.ts";
import { loadPart } from "../parts/features.ts";
import { ALWAYS_LOADED, TOOLSETS } from "../parts/own-packages.ts";
import { resolvePlace } from "../place/place.ts";
import { clientFolders } from "./client-folders.ts";
import { createSwitchableWorkspace } from "./workspace/switchable-workspace.ts";
import { createOpenWorkspaces } from "./open-workspaces.ts";
import { isPartOnly } from "./part-toolsets.ts";
import { serveWorkspace } from "./workspace/serve-workspace.ts";
import { memoryName, wroteTo } from "./wrote-to.ts";

export interface McpServiceOptions {
  /** Toolsets and tools. Absent: the default sets, and what the configuration's servers bring. */
  readonly tools?: readonly string[];
  /** Whether paths outside the workspace may be asked for. Default false. */
  readonly mountHost?: boolean;
  /** Whether somebody chose the workspace, so that it is served whatever it is, and no client exchanges it. Default false. */
  readonly isChosen?: boolean;
  /** Whether the workspace goes where the one client of this server is. Default false: clients may each be elsewhere. */
  readonly followsClient?: boolean;
  /** Told what becomes of the server. */
  log?(level: LogLevel, message: string): void;
  /** Told that the workspace is another one now. */
  onMove?(root: string): void;
}

/** A workspace behind an MCP server that is ready to be connected. */
export interface McpService {
  readonly server: McpServer;
  close(): Promise<void>;
}

/** An answer holds the tool's output and little else. */
const ROOM_FOR_ESCAPES = 1.1;
const LEAST_ANSWER = 1_000_000;

/**
 * Opens a workspace and the MCP server that offers it.
 *
 * Contract: prints nothing and connects to nobody; whoever opens it connects a transport, and closes it. A choice of
 * tools that names one which is not there is refused.
 */
export async function openMcpService(host: HostOptions, options: McpServiceOptions = {}): Promise<McpService> {
  const { tools, mountHost = false, isChosen = false, followsClient = false } = options;
  const place = resolvePlace(host);
  const { createMcpApprovals, createMcpServer, selectTools } = await loadPart("@ikigai/mcp/serve", "mcp");
  const approvals = createMcpApprovals();
  if (tools !== undefined) {
    const named = tools.filter((name) => !isPartOnly(name));
    selectTools(named, TOOLSETS);
  }
  const shared = { approvals, mountHost, ...(tools !== undefined && { tools }) };
  const first = await serveWorkspace(host, { ...shared, strict: true, isChosen });
  const served = createSwitchableWorkspace(first);
  let latest = first;
  let workspace = "";
  const move = async (roots: readonly ClientRoot[]): Promise<void> => {
    const folders = await clientFolders(roots);
    const next = JSON.stringify(folders);
    if (folders === undefined || next === workspace) return;
    const { root, others } = folders;
    await served.move(async () => {
      latest = await serveWorkspace({ ...host, root }, { ...shared, folders: others });
      return latest;
    });
    workspace = next;
    options.onMove?.(root);
  };
  const workspaces = createOpenWorkspaces({
    open: (root) => serveWorkspace({ ...host, root }, shared),
    ...(isChosen && { only: place.root }),
  });
  const memory = memoryName(place);
  const server = createMcpServer({
    registry: served.registry,
    agent: place.agent,
    alwaysLoad: ALWAYS_LOADED,
    approvals,
    resources: served.resources,
    prompts: served.prompts,
    complete: served.complete,
    ready: () => served.ready(),
    instructions: () => latest.instructions,
    wroteTo: (effects, named) => wroteTo(effects, { workspace: named ?? latest.root, memory }),
    ...(followsClient && !isChosen && { onRoots: move }),
    inWorkspace: workspaces.use,
    ...longestAnswer(first.maxOutputSize),
    onLog: (level, message) => options.log?.(level, message),
  });
  return {
    server,
    async close() {
      server.close();
      await workspaces.close();
      await served.close();
    },
  };
}

function longestAnswer(maxOutputSize: number | undefined): { readonly maxAnswerSize?: number } {
  if (maxOutputSize === undefined) return {};
  return { maxAnswerSize: Math.max(LEAST_ANSWER, Math.ceil(maxOutputSize * ROOM_FOR_ESCAPES)) };
}
