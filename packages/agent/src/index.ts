export { type AgentProfile, type AgentSession, type AgentSessionOptions, createAgentSession } from "./agent-session.ts";
export { askWithRetry, type RetryOptions } from "./ask-with-retry.ts";
export {
  buildContext,
  type BuiltContext,
  compareEntries,
  type ContextInput,
  type ContextPart,
  type Manifest,
  type ManifestEntry,
} from "./context.ts";
export { type CountTokens, slideWindow } from "./context-window.ts";
export type { ConversationStore } from "./conversation-store.ts";
export { type ExpandOptions, type Expansion, expandPrompt } from "./expand-prompt.ts";
export type { TextSpan } from "./find-markers.ts";
export { fence } from "./fence.ts";
export { createMemoryConversations, titleOf, unknownMark } from "./memory-conversations.ts";
export { type CallPart, completeHistory, type Exchange, type Message, toExchanges } from "./messages.ts";
export type { ModelReply, TokenUsage } from "./model.ts";
export { keyVariable, type ModelSettings, openModel } from "./open-model.ts";
export { runTurn, type TurnListener, type TurnOptions, type TurnOutcome } from "./run-turn.ts";
export { type Place, type PromptInput, systemPrompt } from "./system-prompt.ts";
export {
  assertRulesKnow,
  consentLayer,
  describeRules,
  keepRules,
  type RuleKeeper,
  type ToolRules,
} from "./tool-rules.ts";
export { type AutoSummary, createAutoSummary, type SummaryState } from "./auto-summary.ts";
export { type Compaction, proposeCompaction } from "./propose-compaction.ts";
export { gatherNotices, type StreamNotices } from "./stream-notices.ts";
export { askPlainly, summarise } from "./summarise.ts";
