import { join } from "node:path";
import { definePart, type Part } from "@ikigai/core/host";
import { z } from "zod";
import type { McpConfig } from "../configuration/server-config.ts";
import { createMcpServers, type McpServersOptions } from "../mcp/mcp-servers.ts";
import { openToolTrust } from "../mcp/tool-trust.ts";

export type ServersPartOptions = Pick<McpServersOptions, "root" | "runs" | "passesForms"> & {
  readonly config: McpConfig;
};

/** The MCP servers of the configuration. Their tools and texts join when they are started, which others decide. */
export function createServersPart({ config, root, runs, passesForms }: ServersPartOptions): Part<object> {
  return definePart({
    name: "mcp",
    options: z.strictObject({}),
    needs: ["outputs"],
    async open(_, { stateDirectory, sources, register, services: { outputs }, warn }) {
      if (outputs === undefined) return {};
      const toolTrust = openToolTrust(join(stateDirectory, "mcp-tools.json"));
      const servers = createMcpServers({
        config,
        root,
        registry: { register },
        sources,
        trust: toolTrust,
        runs,
        keep: outputs.keepPart,
        passesForms,
        warn,
      });
      return { services: { servers, toolTrust }, close: () => servers.close() };
    },
  });
}
