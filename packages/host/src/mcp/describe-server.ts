import type { McpServers } from "./mcp-servers.ts";

/** How one MCP server of the configuration is. */
export type ServerStatus = ReturnType<McpServers["status"]>[number];

/** What a server brings, and what is wrong with it. */
export function describeServer({ tools, withheld, leftOut, error }: ServerStatus): string {
  const held = withheld.map(({ tool, reason }) => `${tool} is withheld: ${reason}`);
  if (leftOut !== undefined) held.push(leftOut);
  return [`${tools.length} tools`, ...held, ...(error === undefined ? [] : [error.split("\n")[0] ?? ""])].join("; ");
}
