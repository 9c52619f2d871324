import { IkigaiError } from "@ikigai/core";
import { TOOL_NAME, type ToolCard, toMcpTools } from "@ikigai/core/host";

/** Names for groups of tools, so that a client's prompt holds what is used and no more. */
export type Toolsets = Readonly<Record<string, readonly string[]>>;

/** What an MCP client is offered unless it asks for something else: memory, and what its own tools cannot do there. */
export const DEFAULT_TOOLSETS: readonly string[] = ["default"];

/**
 * Which tools a list of toolsets and tool names selects.
 *
 * Contract: a toolset's name stands for its tools, also for those that are not registered yet. Tools of mounted MCP
 * servers are selected by `server__tool`, or all of a server's by `server__*`. Other text is `invalid_input`.
 */
export function selectTools(names: readonly string[], toolsets: Toolsets = {}): (tool: string) => boolean {
  const chosen = new Set<string>();
  const prefixes: string[] = [];
  for (const name of names) {
    const set = Object.hasOwn(toolsets, name) ? toolsets[name] : undefined;
    if (set !== undefined) for (const tool of set) chosen.add(tool);
    else if (TOOL_NAME.test(name)) chosen.add(name);
    else if (name.endsWith("__*") && TOOL_NAME.test(name.slice(0, -1))) prefixes.push(name.slice(0, -1));
    else throw unknownSet(name, toolsets);
  }
  return (tool) => chosen.has(tool) || prefixes.some((prefix) => tool.startsWith(prefix));
}

export interface CatalogCost {
  readonly total: number;
  readonly tools: readonly { readonly name: string; readonly tokens: number }[];
}

/** What offering these tools costs a client's prompt: name, description and input schema of each. */
export function estimateCatalogTokens(cards: readonly ToolCard[], countTokens: (text: string) => number): CatalogCost {
  const tools = toMcpTools(cards).map(({ name, description, inputSchema }) => ({
    name,
    tokens: countTokens(JSON.stringify({ name, description, inputSchema })),
  }));
  return { total: tools.reduce((sum, { tokens }) => sum + tokens, 0), tools };
}

function unknownSet(name: string, toolsets: Toolsets): IkigaiError {
  const sets = Object.keys(toolsets);
  return new IkigaiError("invalid_input", `${JSON.stringify(name.slice(0, 80))} names neither a toolset nor a tool`, {
    hint: sets.length === 0 ? "Name a tool, or a server as server__*." : `Toolsets are: ${sets.join(", ")}.`,
  });
}
