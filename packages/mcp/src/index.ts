export type { McpApprovals, McpApprovalsOptions } from "./serve/tools/approvals.ts";
export { createMcpApprovals } from "./serve/tools/approvals.ts";
export type { WorkspaceParts } from "./serve/named-workspace.ts";
export { createMcpServer, type McpServer } from "./serve/mcp-server.ts";
export type { ClientFacts, Presentation } from "./serve/tools/presentation.ts";
export type {
  Complete,
  CompletionRequest,
  PromptArgumentCard,
  PromptCard,
  PromptMessage,
  Prompts,
  PromptText,
} from "./serve/resources/prompts.ts";
export type {
  ResourceCallOptions,
  ResourceCard,
  ResourcePart,
  Resources,
  ResourceTemplateCard,
} from "./serve/resources/resources.ts";
export { type HttpServing, serveHttp, type ServeHttpOptions } from "./serve/http/serve-http.ts";
export { serveStdio, type ServeStdioOptions, type StdioServing } from "./serve/stdio/serve-stdio.ts";
export type { ClientRoot, LogLevel, McpServerOptions } from "./serve/server-options.ts";
export { sourceResources, type SourceResourcesOptions } from "./serve/resources/source-resources.ts";
export { type CatalogCost, DEFAULT_TOOLSETS, estimateCatalogTokens, selectTools, TOOLSETS } from "./toolsets.ts";
export { type ToolTrust, type TrustRequest } from "./mount/foreign-tools.ts";
export { foreignPrompt, foreignPrompts } from "./mount/foreign-prompts.ts";
export type { KeptPart } from "./mount/foreign-result.ts";
export { mountedTemplates } from "./mount/foreign-templates.ts";
export { mcpResources } from "./mount/mcp-resources.ts";
export {
  type McpServerStatus,
  type MountedMcpServer,
  mountMcpServer,
  type MountMcpServerOptions,
} from "./mount/mount-mcp-server.ts";
export { createToolRoom, type ToolRoom } from "./mount/tool-room.ts";
export type { HttpServerSpec, ServerSpec, StdioServerSpec } from "./mount/server-spec.ts";
export { addToClientConfig, removeFromClientConfig } from "./install/client-config.ts";
export {
  CLIENT_NAMES,
  clientConfigPath,
  type ClientName,
  type ClientPlaces,
  type ServerEntry,
} from "./install/clients.ts";
export { type ClientConfigChange, installClient, uninstallClient } from "./install/install-client.ts";
