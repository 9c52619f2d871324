import { setTimeout as delay } from "node:timers/promises";
import type { McpApprovals } from "@ikigai/mcp";
import { fileSource } from "@ikigai/source-file";
import type { Host, HostOptions } from "../../host.ts";
import { openHost } from "../../open-host.ts";
import { loadPart } from "../../parts/features.ts";
import { TOOLSETS } from "../../parts/own-packages.ts";
import { followChanges } from "../../parts/changes/follow.ts";
import { resolvePlace } from "../../place/place.ts";
import { WORKSPACE } from "../../policy/host-policy.ts";
import { assertKnownTools } from "../known-tools.ts";
import { toolsOf } from "../mcp-servers.ts";
import { memoryInstructions } from "../memory-instructions.ts";
import { partToolsets, selectWithParts } from "../part-toolsets.ts";
import { storePrompts } from "../store-prompts.ts";
import { whyNoWorkspace } from "../why-no-workspace.ts";
import { withServerPrompts } from "./served-prompts.ts";
import { servedResources } from "./served-resources.ts";
import type { Served } from "./switchable-workspace.ts";

export interface ServeWorkspaceOptions {
  readonly approvals: McpApprovals;
  readonly mountHost: boolean;
  /** Toolsets and tools. Absent: the default sets, and what the configuration's servers bring. */
  readonly tools?: readonly string[];
  /** Refuses a choice of tools that names one which is not there. Default: it is left out. */
  readonly strict?: boolean;
  /** Whether somebody chose the workspace, so that it is served whatever it is. Default false. */
  readonly isChosen?: boolean;
  /** Further folders of the client, mounted beside the workspace. */
  readonly folders?: readonly { readonly name: string; readonly path: string }[];
}

/** What a pin does for a client, whose prompt is its own. */
const PINS_OVER_MCP =
  "A client of MCP does not put it into its prompt: pinned blocks are offered as resources, and `ikigai` itself shows them.";

/** Milliseconds that the list of tools waits for the servers of the configuration. */
const SERVERS_WAIT_MS = 5_000;

/** A workspace as it is served, and the longest answer that its configuration asks for. */
export interface ServedWorkspace extends Served {
  /** The folder that is served. Absent: memory alone. */
  readonly root?: string;
  /** Instructions for the client's model about what is mounted. */
  readonly instructions: string;
  readonly maxOutputSize?: number;
}

/** Opens a workspace for MCP clients. Contract: whoever opens it closes it. */
export async function serveWorkspace(
  options: HostOptions,
  { approvals, mountHost, tools: chosen, strict = false, isChosen = false, folders = [] }: ServeWorkspaceOptions,
): Promise<ServedWorkspace> {
  const place = resolvePlace(options);
  const complain = options.warn ?? ((): void => {});
  const { DEFAULT_TOOLSETS, selectTools, sourceResources } = await loadPart("@ikigai/mcp/serve", "mcp");
  const why = isChosen ? undefined : whyNoWorkspace(place.root);
  if (why !== undefined) complain(why);
  const host = await openHost({
    ...options,
    approve: approvals.approver,
    mountHost,
    background: true,
    passesForms: true,
    ...(why !== undefined && { whyNoWorkspace: why }),
    assist: { pinsMean: PINS_OVER_MCP },
  });
  if (strict && chosen !== undefined) await closeUnlessKnown(host, chosen, TOOLSETS);
  await mountFolders(host, folders, complain);
  const select = selectWithParts(host, chosen, (names) =>
    selectTools(names ?? [...DEFAULT_TOOLSETS, ...host.servers.names.map(toolsOf)], TOOLSETS),
  );
  // Nobody waits for the servers but the lists: many clients ask for each once. What takes longer joins later, and
  // clients are told.
  const started = Promise.race([host.servers.start(), delay(SERVERS_WAIT_MS, undefined, { ref: false })]);
  const files = [
    ...(why === undefined ? [{ mount: WORKSPACE, root: place.root }] : []),
    ...folders.map(({ name, path }) => ({ mount: name, root: path })),
  ];
  const texts = servedResources(host, { files, agent: place.agent, sourceResources, warn: complain });
  const prompts = storePrompts({
    sources: host.sources,
    assets: host.store.assets,
    agent: place.agent,
    warn: complain,
  });
  const following = await followChanges(host, place, { notify: options.note ?? ((): void => {}), complain });
  const offered = host.registry.snapshot({ select }).cards.map(({ name }) => name);
  const maxOutputSize = host.config.max_output_size;
  return {
    registry: {
      // The tools that the client chose when it started the server stay chosen, whichever workspace it moves to.
      snapshot: (options) => host.registry.snapshot({ ...options, select }),
      onChange: (listener) => host.registry.onChange(listener),
    },
    ready: () => started,
    resources: texts.resources,
    prompts: withServerPrompts(prompts, host.servers.prompts),
    complete: async (request, options) =>
      "prompt" in request.of ? prompts.complete(request, options) : texts.complete(request, options),
    ...(maxOutputSize !== undefined && { maxOutputSize }),
    ...(why === undefined && { root: place.root }),
    instructions: memoryInstructions({
      mounts: host.sources.status(),
      tools: offered,
      parts: host.guidance(offered),
      whyNoWorkspace: why,
    }),
    async close() {
      prompts[Symbol.dispose]();
      await following[Symbol.asyncDispose]();
      await host.close();
    },
  };
}

/** Refuses a choice that names a tool which is not there, and closes the host then. */
async function closeUnlessKnown(
  host: Host,
  chosen: readonly string[],
  ownToolsets: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  try {
    const toolsets = { ...ownToolsets, ...partToolsets(host) };
    const registered = host.registry.snapshot().cards.map(({ name }) => name);
    assertKnownTools(chosen, { toolsets, registered, servers: host.servers.names });
  } catch (error) {
    await host.close();
    throw error;
  }
}

/** Mounts further folders of the client. Contract: one that cannot be mounted is named and left out. */
async function mountFolders(
  host: Host,
  folders: NonNullable<ServeWorkspaceOptions["folders"]>,
  complain: (message: string) => void,
): Promise<void> {
  for (const { name, path } of folders) {
    await host.sources
      .mount({ mount: name, source: fileSource, options: { root: path, tool: false } })
      .catch((error: Error) => complain(`${path} was left out: ${error.message}`));
  }
}
