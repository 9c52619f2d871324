import { IkigaiError } from "@ikigai/core";
import { toolsOf } from "./mcp-servers.ts";

export interface KnownTools {
  /** Toolsets and their tools, also those that are not registered now. */
  readonly toolsets: Readonly<Record<string, readonly string[]>>;
  readonly registered: readonly string[];
  /** MCP servers of the configuration, whose tools may come later. */
  readonly servers: readonly string[];
}

/** Contract: `invalid_input` names what nothing is called, and what there is instead. */
export function assertKnownTools(chosen: readonly string[], { toolsets, registered, servers }: KnownTools): void {
  const tools = new Set([...Object.values(toolsets).flat(), ...registered]);
  const prefixes = servers.map((server) => toolsOf(server).slice(0, -1));
  const unknown = chosen.filter(
    (name) => !Object.hasOwn(toolsets, name) && !tools.has(name) && !prefixes.some((prefix) => name.startsWith(prefix)),
  );
  if (unknown.length === 0) return;
  const named = unknown.map((name) => JSON.stringify(name)).join(", ");
  const what = unknown.length === 1 ? `${named} names` : `${named} name`;
  throw new IkigaiError("invalid_input", `--tools: ${what} neither a toolset nor a tool`, {
    hint: `Toolsets are: ${Object.keys(toolsets).join(", ")}. Tools are: ${[...tools, ...servers.map(toolsOf)].join(", ")}.`,
  });
}
