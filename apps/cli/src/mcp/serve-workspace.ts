import { setTimeout as delay } from "node:timers/promises";
import type { McpApprovals } from "@ikigai/mcp";
import { fileSource } from "@ikigai/source-file";
import { followChanges } from "../follow.ts";
import { openHost } from "../host.ts";
import { hasFeature, loadPart } from "../parts.ts";
import type { Settings } from "../settings.ts";
import type { Terminal } from "../terminal.ts";
import { assertKnownTools } from "./known-tools.ts";
import { toolsOf } from "./mcp-servers.ts";
import type { Served } from "./movable.ts";
import { withPinnedBlocks } from "./pinned-blocks.ts";
import { storePrompts } from "./store-prompts.ts";

export interface ServeWorkspaceOptions {
  readonly approvals: McpApprovals;
  readonly mountHost: boolean;
  /** Toolsets and tools. Absent: the default sets, and what the configuration's servers bring. */
  readonly tools?: readonly string[];
  /** Refuses a choice of tools that names one which is not there. Default: it is left out. */
  readonly strict?: boolean;
  /** Further folders of the client, mounted beside the workspace. */
  readonly folders?: readonly { readonly name: string; readonly path: string }[];
}

/** Milliseconds that a client waits for the servers of the configuration. */
const SERVERS_WAIT_MS = 5_000;

/** A workspace as it is served, and the longest answer that its configuration asks for. */
export interface ServedWorkspace extends Served {
  readonly maxOutputSize?: number;
}

/** Opens a workspace for MCP clients. Contract: whoever opens it closes it. */
export async function serveWorkspace(
  settings: Settings,
  terminal: Terminal,
  { approvals, mountHost, tools: chosen, strict = false, folders = [] }: ServeWorkspaceOptions,
): Promise<ServedWorkspace> {
  const complain = (message: string): void => terminal.complain(message);
  const { DEFAULT_TOOLSETS, selectTools, sourceResources, TOOLSETS } = await loadPart("@ikigai/mcp/serve", "mcp");
  const host = await openHost(settings, terminal, { approver: approvals.approver, mountHost, background: true });
  if (strict && chosen !== undefined) {
    try {
      const registered = host.registry.snapshot().cards.map(({ name }) => name);
      assertKnownTools(chosen, { toolsets: TOOLSETS, registered, servers: host.servers.names });
    } catch (error) {
      await host.close();
      throw error;
    }
  }
  for (const { name, path } of folders) {
    await host.sources
      .mount({ mount: name, source: fileSource, options: { root: path, tool: false } })
      .catch((error: Error) => complain(`${path} was left out: ${error.message}`));
  }
  const select = selectTools(chosen ?? [...DEFAULT_TOOLSETS, ...host.servers.names.map(toolsOf)]);
  const starting = host.servers.start();
  // Many clients list the tools once; those of a server that takes longer join later, and clients are told.
  await Promise.race([starting, delay(SERVERS_WAIT_MS, undefined, { ref: false })]);
  const texts = sourceResources({
    sources: host.sources,
    policy: host.policy,
    onMountsChange: (listener) => host.sources.onMountsChange(listener),
    warn: complain,
  });
  const resources = withPinnedBlocks(texts, {
    blocks: host.blocks,
    pins: host.store.pins,
    isOpen: () => host.store.opened,
    policy: host.policy,
    agent: settings.agent,
    warn: complain,
  });
  const prompts = storePrompts({
    sources: host.sources,
    ...(hasFeature("store") && { assets: host.store.assetIndex }),
    agent: settings.agent,
    warn: complain,
  });
  const following = await followChanges(host, settings, { notify: (line) => terminal.note(line), complain });
  const maxOutputSize = host.config.max_output_size;
  return {
    registry: {
      // What the client chose when it started the server is what it gets, whichever workspace it moves to.
      snapshot: (options) => host.registry.snapshot({ ...options, select }),
      onChange: (listener) => host.registry.onChange(listener),
    },
    resources,
    prompts,
    complete: async (request, options) =>
      "prompt" in request.of ? prompts.complete(request, options) : texts.complete(request, options),
    ...(maxOutputSize !== undefined && { maxOutputSize }),
    async close() {
      prompts[Symbol.dispose]();
      await following[Symbol.asyncDispose]();
      await host.close();
    },
  };
}
