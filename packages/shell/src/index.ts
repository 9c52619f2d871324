export { createBashJobsTool } from "./bash-jobs-tool.ts";
export { type BashResult, type BashToolOptions, createBashTool } from "./bash-tool.ts";
export { DEFAULT_ENVIRONMENT, type EnvironmentOptions } from "./environment.ts";
export { jobEvents } from "./job-events.ts";
export { createJobs, type Job, type Jobs, type JobsOptions } from "./jobs.ts";
export type { AddressOutcome } from "./materialise.ts";
export { commandGrant, commandOpinion, type CommandOpinion } from "./command-rules.ts";
export { parseCommand, type ParsedCommand } from "./parse-command.ts";
