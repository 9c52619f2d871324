export { askHook, type CommandHook, hookApplies } from "./command-hooks.ts";
export { type GrantDuration, grantFile, type Grants, type NewGrant, openGrants, whyInert } from "./grants.ts";
export { createJsonFile, type JsonFile } from "./json-file.ts";
export { mountPattern, proposePattern } from "./propose-pattern.ts";
export { makePrivateFolder } from "./private-folder.ts";
export { createProtectedLayer, type OwnKind } from "./protected-layer.ts";
export { createRedactor, type Redactor } from "@ikigai/core/redact";
export { readSmallFile } from "./small-file.ts";
export {
  type ContentChange,
  createTrust,
  toTrustedFile,
  type Trust,
  type TrustedFile,
  trustFile,
  type TrustState,
} from "./trust.ts";
