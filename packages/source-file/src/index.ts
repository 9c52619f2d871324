export { fileSource } from "./file-source.ts";
export type { FileSourceOptions, WatchMode } from "./options.ts";
export type { FileRule } from "./rules.ts";
