export { CLIENTS, type ClientEntryOptions, type ClientEntryPlan, knownClient } from "./client-entry.ts";
export { planClientEntry, planClientRemoval } from "./client-entry.ts";
export { describeServer, type ServerStatus } from "./describe-server.ts";
export { type McpServers, mountOfServer } from "./mcp-servers.ts";
export { type McpService, type McpServiceOptions, openMcpService } from "./open-mcp-service.ts";
export { partToolsets } from "./part-toolsets.ts";
