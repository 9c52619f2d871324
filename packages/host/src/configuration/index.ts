export {
  type Config,
  CONFIG_FILE,
  configSchema,
  loadConfig,
  type PartConfig,
  readConfig,
  type SourceConfig,
} from "./config.ts";
export { openCredentials } from "./credentials.ts";
export { effectiveConfig, openConfig } from "./effective-config.ts";
export { describeJsonProblem } from "./json-problem.ts";
export { programPath } from "./program-path.ts";
export { type McpServerConfig } from "./server-config.ts";
