export { type AgentProfile, type AgentSession, type AgentSessionOptions, createAgentSession } from "./agent-session.ts";
export { askWithRetry, type RetryOptions } from "./turn/ask-with-retry.ts";
export {
  buildContext,
  type BuiltContext,
  compareEntries,
  type ContextInput,
  type ContextPart,
  type Manifest,
  type ManifestEntry,
} from "./context/context.ts";
export { type CountTokens, slideWindow } from "./context/context-window.ts";
export type { ConversationStore } from "./conversation-store.ts";
export { type ExpandOptions, type Expansion, expandPrompt } from "./mentions/expand-prompt.ts";
export type { TextSpan } from "./mentions/find-markers.ts";
export { fence } from "./context/fence.ts";
export { createMemoryConversations, titleOf, unknownMark } from "./memory-conversations.ts";
export { type CallPart, completeHistory, type Exchange, type Message, toExchanges } from "./messages.ts";
export type { ModelReply, TokenUsage } from "./model/model.ts";
export { keyVariable, type ModelSettings, openModel } from "./model/open-model.ts";
export { runTurn, type TurnListener, type TurnOptions, type TurnOutcome } from "./turn/run-turn.ts";
export { type Place, type PromptInput, systemPrompt } from "./context/system-prompt.ts";
export {
  assertRulesKnow,
  consentLayer,
  describeRules,
  keepRules,
  type RuleKeeper,
  type ToolRules,
} from "./turn/tool-rules.ts";
export { type AutoSummary, createAutoSummary, type SummaryState } from "./context/auto-summary.ts";
export { type Compaction, proposeCompaction } from "./context/propose-compaction.ts";
export { gatherNotices, type StreamNotices } from "./stream-notices.ts";
export { askPlainly, summarise } from "./context/summarise.ts";
