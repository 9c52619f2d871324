export { fileChanges, type FileChangesOptions } from "./watch/file-changes.ts";
export { type FinalPlace, finalPlace } from "./place/final-place.ts";
export { findOtherNames, type OtherNames } from "./place/other-names.ts";
export { fileSource } from "./file-source.ts";
export type { FileSourceOptions, WatchMode } from "./options.ts";
export type { FileRule } from "./rules.ts";
export { setFileRules } from "./set-file-rules.ts";
export { saveTraces } from "./save/save-traces.ts";
