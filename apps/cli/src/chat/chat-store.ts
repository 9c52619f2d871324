import {
  type ContextPart,
  type ConversationStore,
  createMemoryConversations,
  type Exchange,
  type SummaryState,
} from "@ikigai/agent";

/** Everything of a conversation that should outlive the process. The one place where a durable store is plugged in. */
export interface ChatStore {
  readonly conversations: ConversationStore;
  /** Whether conversations are there again in the next process. */
  readonly durable: boolean;
  /** What the agent has pinned. */
  pinned(agent: string): Promise<readonly ContextPart[]>;
  /** Absent: nothing is budgeted. */
  budget?(agent: string): Promise<{ readonly used: number; readonly limit: number }>;
  /** Makes what no longer fits searchable. Contract: the same message twice is kept once. */
  archive(agent: string, conversation: string, exchanges: readonly Exchange[]): Promise<void>;
  loadSummary(conversation: string): Promise<SummaryState | undefined>;
  saveSummary(conversation: string, state: SummaryState): Promise<void>;
}

/** Contract: ends with the process. Nothing is lost of an archived exchange, since conversations keep all messages. */
export function createMemoryChatStore(): ChatStore {
  const summaries = new Map<string, SummaryState>();
  return {
    conversations: createMemoryConversations(),
    durable: false,
    pinned: async () => [],
    archive: async () => {},
    loadSummary: async (conversation) => summaries.get(conversation),
    saveSummary: async (conversation, state) => void summaries.set(conversation, state),
  };
}
