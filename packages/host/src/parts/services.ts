import type { BlockService } from "@ikigai/memory";
import type { McpServers } from "../mcp/mcp-servers.ts";
import type { ToolTrustStore } from "../mcp/tool-trust.ts";
import type { HostStore } from "../store/host-store.ts";
import type { Outputs } from "./outputs/outputs.ts";

/** What the parts of this package offer each other, beyond what sources are given. */
declare module "@ikigai/core" {
  interface HostServices {
    readonly blockService?: BlockService;
    readonly store?: HostStore;
    readonly outputs?: Outputs;
    readonly servers?: McpServers;
    readonly toolTrust?: ToolTrustStore;
  }
}
