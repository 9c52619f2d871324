export { createBashJobsTool } from "./bash/bash-jobs-tool.ts";
export { createBashTool } from "./bash/bash-tool.ts";
export { createJobs } from "./run/jobs.ts";
export { commandGrant } from "./command/command-rules.ts";
export { createGlobTool } from "./search/glob-tool.ts";
export { createGrepTool } from "./search/grep-tool.ts";
