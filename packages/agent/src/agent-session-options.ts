import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { SourceManager, ToolRegistry } from "@ikigai/core/host";
import type { AutoSummary } from "./context/auto-summary.ts";
import type { ContextPart } from "./context/context.ts";
import type { CountTokens } from "./context/context-window.ts";
import type { Place } from "./context/system-prompt.ts";
import type { ConversationStore } from "./conversation-store.ts";
import type { CallPart, Exchange } from "./messages.ts";
import type { RetryOptions } from "./turn/ask-with-retry.ts";
import type { ToolRules } from "./turn/tool-rules.ts";

/** Who the agent is, as the configuration says it. */
export interface AgentProfile {
  readonly name: string;
  readonly instructions?: string;
  /** The tools it sees. Absent: all. */
  readonly tools?: readonly string[];
  readonly rules?: ToolRules;
}

export interface AgentSessionOptions {
  readonly profile: AgentProfile;
  readonly registry: ToolRegistry;
  readonly sources: SourceManager;
  readonly conversations: ConversationStore;
  readonly conversation: string;
  /** The model of the next turn, asked for at each turn, so that it can be switched in the middle of a conversation. */
  model(): Promise<LanguageModelV3>;
  /** Pinned texts, each with its address and version. */
  pinned(): Promise<readonly ContextPart[]>;
  /** Tokens that the pinned texts have and may have. Absent: there is no store. */
  budget?(): Promise<{ readonly used: number; readonly limit: number }>;
  /** Takes what falls out of the window, so that it can be searched. A crash may repeat an exchange; message ids tell. */
  archive?(exchanges: readonly Exchange[]): Promise<void>;
  readonly summary?: AutoSummary;
  /** Notices of what happened outside since the last turn. */
  notices?(): string | undefined;
  confirmRepeat?(call: CallPart, times: number): Promise<boolean>;
  /** Where the agent works; the date is added. Absent: the prompt says nothing of it. */
  readonly place?: Omit<Place, "date">;
  /** What the parts of the host say to a model that is shown these tools. */
  guidance?(tools: readonly string[]): readonly string[];
  readonly count: CountTokens;
  /** Tokens of a request. Default 150,000. */
  readonly contextLimit?: number;
  /** Tokens kept free for the answer. Default 8,000. */
  readonly reserve?: number;
  readonly maxSteps?: number;
  readonly retry?: RetryOptions;
  readonly now?: () => Date;
  readonly newId?: () => string;
}
