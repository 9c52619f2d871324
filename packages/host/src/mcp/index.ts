export { CLIENTS, knownClient } from "./client-entry.ts";
export { planClientEntry, planClientRemoval } from "./client-entry.ts";
export { describeServer } from "./describe-server.ts";
export { mountOfServer } from "./mcp-servers.ts";
export { type McpService, openMcpService } from "./open-mcp-service.ts";
export { partToolsets } from "./part-toolsets.ts";
