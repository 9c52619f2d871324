/** What serving over standard input and output takes, without HTTP, other servers and clients' configurations. */
export { DEFAULT_TOOLSETS, selectTools } from "../toolsets.ts";
export { createMcpApprovals } from "./tools/approvals.ts";
export { createMcpServer } from "./mcp-server.ts";
export { serveStdio } from "./stdio/serve-stdio.ts";
export { sourceResources } from "./resources/source-resources.ts";
