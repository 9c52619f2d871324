import type { ToolRegistry } from "@ikigai/core/host";
import type { Config } from "../configuration/config.ts";
import type { Place } from "../place/place.ts";
import { mayBring } from "../mcp/mcp-servers.ts";
import { whyNoTool } from "../parts/features.ts";
import { restrictTools, unknownNames } from "./agent-tools.ts";

/** The tools as the agent of this host may use them. Contract: names in its configuration that no tool has are told. */
export function agentRegistry(
  registry: ToolRegistry,
  { place, config, warn }: { place: Pick<Place, "agent">; config: Config; warn: (message: string) => void },
): ToolRegistry {
  const agent = config.agents?.find(({ name }) => name === place.agent);
  const servers = Object.keys(config.mcp?.servers ?? {});
  const mayCome = (tool: string): boolean => mayBring(servers, tool) || whyNoTool(tool) !== undefined;
  for (const warning of agent === undefined ? [] : unknownNames(agent, registry, mayCome)) warn(warning);
  return restrictTools(registry, agent);
}
