export { createBashJobsTool } from "./bash/bash-jobs-tool.ts";
export { createBashTool } from "./bash/bash-tool.ts";
export { jobEvents } from "./run/job-events.ts";
export { createJobs, type Jobs } from "./run/jobs.ts";
export { commandPlaces } from "./command/command-places.ts";
export { commandGrant, commandOpinion } from "./command/command-rules.ts";
export { parseCommand } from "./command/parse-command.ts";
export { createGlobTool } from "./search/glob-tool.ts";
export { createGrepTool } from "./search/grep-tool.ts";
