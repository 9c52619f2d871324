export { actorOf } from "../call/actor-of.ts";
export {
  ASSET_MOUNT,
  HOST_MOUNT,
  isMountName,
  mountOf,
  OUTPUT_MOUNT,
  splitAddress,
  WORKSPACE_MOUNT,
} from "../address.ts";
export type { ApprovalAnswer, ApprovalRequest, Approver } from "../policy/approval.ts";
export type {
  ConversationInfo,
  Conversations,
  ManifestQuery,
  RecordedManifest,
  StoredManifest,
  StoredMessage,
} from "../conversations.ts";
export { describeApproval } from "../policy/describe-approval.ts";
export type { Embedder } from "../embedder.ts";
export { escapeHidden, findHidden, removeHidden } from "../hidden-characters.ts";
export { isNestedTooDeep, MAX_NESTING } from "../nesting.ts";
export type { Audit, CallIntent, CallOutcome } from "../audit.ts";
export type { CallHooks } from "../call/call-hooks.ts";
export type { CallOptions, CallPlan } from "../call/call-tool.ts";
export { type AllowedOperations, TOOL_NAME, type ToolCard } from "../tool/catalog.ts";
export { toAnthropicTools, toMcpTools, toOpenAiTools } from "../tool/catalog-formats.ts";
export { withHint } from "../errors.ts";
export { isAtLeast, lowerPermission, PERMISSION_ORDER, permissionOpinion } from "../policy/permission.ts";
export { absent, createPlanner, oncePerInput, type Plan, type Planner, refusing } from "../call/planner.ts";
export {
  type ApprovalMode,
  type CallFacts,
  createPolicy,
  decidingReason,
  type Decision,
  type Grant,
  isEdit,
  type Opinion,
  type Policy,
  type PolicyLayer,
  stricterOpinion,
  type TraceStep,
  type Verdict,
} from "../policy/policy.ts";
export { describeIssues } from "../tool/schema.ts";
export type {
  BlockEdit,
  BlockSchemaKind,
  BlockType,
  Command,
  CommandPlan,
  Commands,
  ReconcileStrategy,
} from "../services.ts";
export type { ToolCall } from "../call/prepare-call.ts";
export { type AnySourceDefinition, SOURCE_CONTRACT } from "../source/source.ts";
export {
  createSourceManager,
  type MountRequest,
  requireCapability,
  type Route,
  type SourceManager,
  type SourceStatus,
  type StreamNotice,
} from "../source/source-manager.ts";
export { overrideSource } from "../source/override-source.ts";
export type { StreamCursors } from "../source/stream-place.ts";
export type { PulledEvents } from "../source/stream-pump.ts";
export { type Attachment, type FormAnswer, type FormRequest, type Truncation } from "../tool/tool.ts";
export {
  createToolRegistry,
  type ToolCatalog,
  type ToolRegistry,
  type ToolRegistryOptions,
} from "../tool/tool-registry.ts";
export { createSeenVersions, type SeenVersions } from "../seen-versions.ts";
export {
  type AnyPart,
  definePart,
  type GuidanceFacts,
  type OpenedPart,
  type Part,
  PART_CONTRACT,
  type PartHost,
  type PartMount,
} from "./part.ts";
export type {
  CommandPlaces,
  CommandReader,
  IndexStore,
  LogKeeper,
  OwnedTexts,
  RowCodec,
  RowStore,
  SaveTraces,
  SqlClient,
  StoreTables,
  VectorStore,
} from "./part-services.ts";
