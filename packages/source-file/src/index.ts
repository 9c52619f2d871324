export { fileChanges, type FileChangesOptions } from "./file-changes.ts";
export { fileSource } from "./file-source.ts";
export type { FileSourceOptions, WatchMode } from "./options.ts";
export type { FileRule } from "./rules.ts";
export { setFileRules } from "./set-file-rules.ts";
