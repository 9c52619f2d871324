import type { ContextPart, ConversationStore, Exchange, SummaryState } from "@ikigai/agent";

/** Everything of a conversation that outlives the process. */
export interface ChatStore {
  readonly conversations: ConversationStore;
  /** Texts that the agent has pinned, as parts of the context. */
  pinned(agent: string): Promise<readonly ContextPart[]>;
  budget(agent: string): Promise<{ readonly used: number; readonly limit: number }>;
  /** Makes what no longer fits searchable. Contract: the same message twice is kept once. */
  archive(agent: string, conversation: string, exchanges: readonly Exchange[]): Promise<void>;
  loadSummary(conversation: string): Promise<SummaryState | undefined>;
  saveSummary(conversation: string, state: SummaryState): Promise<void>;
}
