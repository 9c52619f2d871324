export { type Address, compareCodePoints, formatAddress, HOST_MOUNT, parseAddress, parsePrefix } from "./address.ts";
export type { ApprovalAnswer, ApprovalRequest, Approver, HowToAllow } from "./approval.ts";
export { describeApproval } from "./describe-approval.ts";
export { escapeHidden } from "./escape-hidden.ts";
export type { Audit, CallIntent, CallOutcome } from "./audit.ts";
export type { KeepOutput } from "./bound-output.ts";
export type { CallHooks, HookedCall } from "./call-hooks.ts";
export type { CallOptions, CallPlan } from "./call-tool.ts";
export type { AllowedOperations, ToolCard } from "./catalog.ts";
export { toAnthropicTools, toMcpTools, toOpenAiTools } from "./catalog-formats.ts";
export { type ErrorCode, IkigaiError, messageOf, withHint } from "./errors.ts";
export { isMemoryPermission, type MemoryPermission, permissionOpinion } from "./permission.ts";
export {
  type Action,
  type ApprovalMode,
  type CallFacts,
  createPolicy,
  decidingReason,
  type Decision,
  type Effect,
  type Grant,
  type Opinion,
  type Policy,
  type PolicyLayer,
  type TraceStep,
  type Verdict,
} from "./policy.ts";
export { describeIssues, type JsonSchema, type Schema } from "./schema.ts";
export type {
  BlockEdit,
  BlockInfo,
  Blocks,
  BlockSchemaKind,
  BlockStatus,
  BlockType,
  Command,
  CommandPlan,
  Commands,
  HostServices,
  ReconcileStrategy,
} from "./services.ts";
export type { ToolCall } from "./prepare-call.ts";
export {
  type Actor,
  type AnySourceDefinition,
  type BlockCapability,
  type BlockChange,
  type BlockContent,
  type BlockEntry,
  type BlockFeatures,
  type BlockReader,
  type BlockRevision,
  type DataBlock,
  type DataBlockDefinition,
  type DataStream,
  type DataStreamDefinition,
  defineDataBlock,
  defineDataStream,
  type RemoveOptions,
  SOURCE_CONTRACT,
  type SourceCallOptions,
  type SourceHost,
  type StreamEvent,
  type WriteOptions,
} from "./source.ts";
export {
  createSourceManager,
  type MountRequest,
  requireCapability,
  type Route,
  type SourceManager,
  type SourceManagerOptions,
  type SourceStatus,
  type StreamNotice,
} from "./source-manager.ts";
export { overrideSource } from "./override-source.ts";
export type { StreamCursors } from "./stream-place.ts";
export type { PulledEvents } from "./stream-pump.ts";
export {
  type AnswerFacts,
  type AnyTool,
  type Attachment,
  defineTool,
  type Envelope,
  type FormAnswer,
  type FormRequest,
  type PlanContext,
  type Preview,
  type Tool,
  type ToolContext,
  type Truncation,
} from "./tool.ts";
export { createToolRegistry, type ToolCatalog, type ToolRegistry, type ToolRegistryOptions } from "./tool-registry.ts";
export { createSeenVersions, type SeenVersions } from "./seen-versions.ts";
