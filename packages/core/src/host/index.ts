export { actorOf } from "../actor-of.ts";
export { HOST_MOUNT, isMountName, mountOf, splitAddress } from "../address.ts";
export type { ApprovalAnswer, ApprovalRequest, Approver, HowToAllow } from "../approval.ts";
export type {
  ConversationInfo,
  Conversations,
  ManifestQuery,
  RecordedManifest,
  StoredManifest,
  StoredMessage,
} from "../conversations.ts";
export { describeApproval } from "../describe-approval.ts";
export type { Embedder } from "../embedder.ts";
export { escapeHidden, findHidden, removeHidden } from "../hidden-characters.ts";
export { isNestedTooDeep, MAX_NESTING } from "../nesting.ts";
export type { Audit, CallIntent, CallOutcome } from "../audit.ts";
export type { KeepOutput } from "../bound-output.ts";
export type { CallHooks, HookedCall } from "../call-hooks.ts";
export type { CallOptions, CallPlan } from "../call-tool.ts";
export { type AllowedOperations, TOOL_NAME, type ToolCard } from "../catalog.ts";
export { toAnthropicTools, toMcpTools, toOpenAiTools } from "../catalog-formats.ts";
export { withHint } from "../errors.ts";
export { isAtLeast, lowerPermission, PERMISSION_ORDER, permissionOpinion } from "../permission.ts";
export { absent, createPlanner, oncePerInput, type Plan, type Planner, refusing } from "../planner.ts";
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
} from "../policy.ts";
export { describeIssues } from "../schema.ts";
export type {
  BlockEdit,
  BlockSchemaKind,
  BlockType,
  Command,
  CommandPlan,
  Commands,
  ReconcileStrategy,
} from "../services.ts";
export type { ToolCall } from "../prepare-call.ts";
export { type AnySourceDefinition, SOURCE_CONTRACT } from "../source.ts";
export {
  createSourceManager,
  type MountRequest,
  requireCapability,
  type Route,
  type SourceManager,
  type SourceManagerOptions,
  type SourceStatus,
  type StreamNotice,
} from "../source-manager.ts";
export { overrideSource } from "../override-source.ts";
export type { StreamCursors } from "../stream-place.ts";
export type { PulledEvents } from "../stream-pump.ts";
export { type Attachment, type FormAnswer, type FormRequest, type Truncation } from "../tool.ts";
export { createToolRegistry, type ToolCatalog, type ToolRegistry, type ToolRegistryOptions } from "../tool-registry.ts";
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
