import { realpathSync } from "node:fs";
import type { Complete, Resources } from "@ikigai/mcp";
import type { sourceResources } from "@ikigai/mcp/serve";
import { fileSource } from "@ikigai/source-file";
import type { Host } from "../../host.ts";
import { withPinnedBlocks } from "../pinned-blocks.ts";

export interface ServedResourcesOptions {
  /** Mounts whose texts are files, each with its folder. */
  readonly files: readonly { readonly mount: string; readonly root: string }[];
  readonly agent: string;
  /** Function of the MCP package, which is loaded only when something is served. */
  readonly sourceResources: typeof sourceResources;
  readonly warn: (message: string) => void;
}

/** What a host offers to be read: the texts of its sources, pinned blocks, and what other MCP servers offer. */
export function servedResources(
  host: Host,
  { files, agent, sourceResources, warn }: ServedResourcesOptions,
): { readonly resources: Resources; readonly complete: Complete } {
  const texts = sourceResources({
    sources: host.sources,
    // Clients have their own ways to files, and thousands of them would hide what is remembered.
    isListed: (mount) => host.sources.status(mount).every(({ name }) => name !== fileSource.name),
    folders: files.flatMap(({ mount, root }) =>
      [...new Set([root, realpathSync(root)])].map((one) => ({ mount, root: one })),
    ),
    policy: host.policy,
    onMountsChange: (listener) => host.sources.onMountsChange(listener),
    warn,
  });
  const resources = withPinnedBlocks(texts, {
    blocks: host.blocks,
    pins: host.store.pins,
    isOpen: () => host.store.opened,
    policy: host.policy,
    agent,
    warn,
  });
  return {
    resources: {
      ...resources,
      templates: async () => [...((await resources.templates?.()) ?? []), ...(await host.servers.templates())],
    },
    complete: texts.complete,
  };
}
