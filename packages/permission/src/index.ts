export { askHook, type CommandHook, hookApplies, type HookAnswer } from "./command-hooks.ts";
export {
  type GrantDuration,
  grantFile,
  type GrantRecord,
  type Grants,
  type GrantsOptions,
  type NewGrant,
  openGrants,
  whyInert,
} from "./grants.ts";
export { createJsonFile, type JsonFile, type JsonFileOptions } from "./json-file.ts";
export { mountPattern, proposePattern } from "./propose-pattern.ts";
export { makePrivateFolder } from "./private-folder.ts";
export { createProtectedLayer, type OwnKind, type ProtectedOptions } from "./protected-layer.ts";
export { createRedactor, type Redactor, type RedactorOptions } from "@ikigai/core/redact";
export { readSmallFile, type SmallFile } from "./small-file.ts";
export {
  compareContent,
  type ContentChange,
  createTrust,
  toTrustedFile,
  type Trust,
  type TrustedFile,
  trustFile,
  type TrustRecords,
  type TrustState,
} from "./trust.ts";
