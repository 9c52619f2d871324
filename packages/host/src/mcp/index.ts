<<<<<<< HEAD
export { CLIENTS, type ClientEntryOptions, type ClientEntryPlan, knownClient } from "./client-entry.ts";
export { planClientEntry, planClientRemoval } from "./client-entry.ts";
export { describeServer, type ServerStatus } from "./describe-server.ts";
export { type McpServers, mountOf } from "./mcp-servers.ts";
export { type McpService, type McpServiceOptions, openMcpService } from "./open-mcp-service.ts";
=======
export { clientFolders } from "./client-folders.ts";
export { type McpServers, mountOfServer } from "./mcp-servers.ts";
export { createMovable } from "./movable.ts";
export { createOpenWorkspaces } from "./open-workspaces.ts";
export { serveWorkspace } from "./serve-workspace.ts";
export { whyNoWorkspace } from "./why-no-workspace.ts";
export { memoryName, wroteTo } from "./wrote-to.ts";
>>>>>>> 789858f (core: one home for each fact that several packages need)
