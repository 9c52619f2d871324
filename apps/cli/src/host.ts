import { realpathSync } from "node:fs";
import { join, sep } from "node:path";
import {
  type Address,
  type Blocks,
  createPolicy,
  createSourceManager,
  createToolRegistry,
  type Effect,
  HOST_MOUNT,
  messageOf,
  type PolicyLayer,
  type SourceManager,
  type ToolRegistry,
} from "@ikigai/core";
import { createBlocks, createBlockTools, createFileTools, createMemoryBlockStore } from "@ikigai/memory";
import { createJsonFile, createProtectedLayer, grantFile, type Grants, openGrants } from "@ikigai/permission";
import { fileSource } from "@ikigai/source-file";
import { agentLayer } from "./agent-layer.ts";
import { approveInTerminal } from "./approve-in-terminal.ts";
import type { Config } from "./config.ts";
import { effectiveConfig } from "./effective-config.ts";
import { commandHooks } from "./hooks.ts";
import { loadPlugin } from "./load-plugin.ts";
import { createOutputs } from "./outputs.ts";
import type { Settings } from "./settings.ts";
import type { Terminal } from "./terminal.ts";

/** Everything that is wired together for one process. */
export interface Host {
  readonly registry: ToolRegistry;
  readonly sources: SourceManager;
  readonly grants: Grants;
  /** The configuration in force. */
  readonly config: Config;
  /** Configured sources that could not be mounted, with the reason. */
  readonly failures: readonly { readonly mount: string; readonly error: string }[];
  close(): Promise<void>;
}

const WORKSPACE = "file";
/** Mounts that mode `edits` may edit: the workspace and the store. */
const EDITABLE: readonly string[] = [WORKSPACE, "ikigai", "block"];
const HOW_TO_ALLOW = "Run it with --approve edits to allow creating and updating, or with --approve all.";

/** Contract: a source that cannot be mounted is named in `failures` and left out; the rest works. */
export async function openHost(settings: Settings, terminal: Terminal): Promise<Host> {
  const config = await effectiveConfig(settings, (message) => terminal.complain(message));
  const grants = await openGrants({
    root: realpathSync(settings.root),
    file: createJsonFile(join(settings.stateDirectory, "permissions.json"), grantFile, { grants: [] }),
  });
  const hooks = commandHooks(config.hooks, (message) => terminal.complain(message));
  const outputs = createOutputs(() => sources, settings.stateDirectory);
  const registry = createToolRegistry({
    policy: createPolicy({
      layers: [
        createProtectedLayer({ ownFolders: [settings.stateDirectory] }),
        hostLayer,
        { name: "source", judge: (effect, facts) => sources.policyLayer.judge(effect, facts) },
        agentLayer(config.agents ?? []),
        { name: "block", judge: (effect, facts) => blocks.policyLayer.judge(effect, facts) },
      ],
      mode: () => settings.approve,
      grants: () => grants.current(),
      editable: ({ target }) => EDITABLE.some((mount) => target.startsWith(`${mount}:///`)),
    }),
    ...(terminal.interactive && { approver: approveInTerminal(terminal, grants) }),
    ...(hooks !== undefined && { hooks }),
    howToAllow: HOW_TO_ALLOW,
    onDefect: (error, { name }) =>
      terminal.complain(`${name}: ${error instanceof Error ? error.stack : String(error)}`),
    keepOutput: outputs.keep,
    ...(config.max_output_size !== undefined && { maxOutputSize: config.max_output_size }),
    ...(config.timeout_ms !== undefined && { timeoutMs: config.timeout_ms }),
  });
  // The block service needs the sources, and the sources' tools need the block service.
  const services: { blocks?: Blocks } = {};
  const sources = createSourceManager({
    registry,
    services,
    workspace: WORKSPACE,
    locate: locateUnder(settings.root),
    warn: (mount, message) => terminal.complain(`${mount}: ${message}`),
  });
  const blocks = createBlocks({
    sources,
    store: createMemoryBlockStore(),
    warn: (message) => terminal.complain(message),
  });
  services.blocks = blocks;
  registry.register([...createFileTools({ sources }), ...createBlockTools({ blocks, sources })]);
  await sources.mount({ mount: WORKSPACE, source: fileSource, options: { root: settings.root, rules: config.rules } });
  await sources.mount({ mount: HOST_MOUNT, source: fileSource, options: { root: "/" }, permission: "read_only" });
  await outputs.open();

  const failures: { mount: string; error: string }[] = [];
  for (const { use, mount, options, permission } of config.sources ?? []) {
    try {
      const source = await loadPlugin(use, settings.root);
      // The workspace has the file tool; further folders are reached by address.
      const given = source.name === fileSource.name ? { tool: false, ...options } : options;
      await sources.mount({ mount, source, options: given, ...(permission !== undefined && { permission }) });
    } catch (error) {
      const hint = (error as { hint?: string }).hint;
      failures.push({ mount, error: `${messageOf(error)}${hint === undefined ? "" : `. ${hint}`}` });
      terminal.complain(`source "${mount}" was left out: ${failures.at(-1)?.error}`);
    }
  }
  return { registry, sources, grants, config, failures, close: () => sources.close() };
}

/** Everything on the machine outside the workspace: a person, or a grant that names the path, decides each time. */
const hostLayer: PolicyLayer = {
  name: "host",
  judge: ({ target }: Effect) =>
    target.startsWith(`${HOST_MOUNT}:///`)
      ? { decision: "ask", needs: "grant", reason: "it lies outside the workspace" }
      : undefined,
};

/** Finds absolute paths that lie in the workspace, also when it was reached through a link. */
function locateUnder(root: string): (absolute: string) => Address | undefined {
  const roots = [root, realpathSync(root)].map((one) => (one.endsWith(sep) ? one : `${one}${sep}`));
  return (absolute) => {
    const inside = roots.find((one) => absolute.startsWith(one));
    return inside === undefined ? undefined : { mount: WORKSPACE, path: absolute.slice(inside.length) };
  };
}
