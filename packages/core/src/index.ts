export { type Address, compareCodePoints, formatAddress, parseAddress, parsePrefix } from "./address.ts";
export { type ErrorCode, IkigaiError, messageOf } from "./errors.ts";
export { isMemoryPermission, type MemoryPermission } from "./policy/permission.ts";
export { type Action, type Effect } from "./policy/policy.ts";
export { type JsonSchema, type Schema } from "./tool/schema.ts";
export type { BlockInfo, Blocks, BlockStatus, HostServices } from "./services.ts";
export {
  type Actor,
  type TextCapability,
  type TextChange,
  type TextContent,
  type TextEntry,
  type TextFeatures,
  type TextReader,
  type TextRevision,
  type DataBlock,
  type DataBlockDefinition,
  type DataStream,
  type DataStreamDefinition,
  defineDataBlock,
  defineDataStream,
  type RemoveOptions,
  type SourceCallOptions,
  type SourceHost,
  type StreamEvent,
  type WriteOptions,
} from "./source/source.ts";
export {
  type AnswerFacts,
  type AnyTool,
  defineTool,
  type Envelope,
  type PlanContext,
  type Preview,
  type Tool,
  type ToolContext,
} from "./tool/tool.ts";
