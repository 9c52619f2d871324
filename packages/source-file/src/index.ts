export { fileChanges } from "./watch/file-changes.ts";
export { finalPlace } from "./place/final-place.ts";
export { findOtherNames } from "./place/other-names.ts";
export { fileSource } from "./file-source.ts";
export { setFileRules } from "./set-file-rules.ts";
export { saveTraces } from "./save/save-traces.ts";
