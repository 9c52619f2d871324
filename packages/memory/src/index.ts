export { createFileTools, type FileToolsOptions } from "./file-tools.ts";
export { createSeenVersions, type SeenVersions, type SeenVersionsOptions } from "./seen-versions.ts";
