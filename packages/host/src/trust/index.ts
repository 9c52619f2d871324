export { acceptTrust } from "./accept-trust.ts";
export { type CodeRuns, type Command, createCodeRuns } from "./code-runs.ts";
export { hookUnit } from "./code-unit.ts";
export { type FolderState, openProjectTrust, type ProjectTrust } from "./project-trust.ts";
export { judgeEmbedder } from "./judge-embedder.ts";
