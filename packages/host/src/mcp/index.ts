export { clientFolders } from "./client-folders.ts";
export { type McpServers, mountOf } from "./mcp-servers.ts";
export { createMovable } from "./movable.ts";
export { createOpenWorkspaces } from "./open-workspaces.ts";
export { serveWorkspace } from "./serve-workspace.ts";
export { whyNoWorkspace } from "./why-no-workspace.ts";
export { memoryName, wroteTo } from "./wrote-to.ts";
