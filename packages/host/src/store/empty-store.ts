import type { ConversationStore } from "@ikigai/agent";
import { IkigaiError } from "@ikigai/core";
import { type Assets, type BlockStore, createFileJournal, type Journal, type Pins } from "@ikigai/memory";
import type { NoteIndexStore, NoteVectorStore } from "@ikigai/notes";
import type { RecallStatus, RecallStore } from "@ikigai/recall";
import type { ApprovalRequests } from "@ikigai/store-postgres";
import { loadPart } from "../parts/features.ts";
import { chooseEmbedder } from "./choose-embedder.ts";
import type { OpenStoreOptions } from "./open-store.ts";

/** Tokens that an agent's pins may have in all, where nobody set a limit. */
const BUDGET = 100_000;

/** The reads of a store, as one that has nothing answers them. */
export interface EmptyStore {
  readonly blocks: Pick<BlockStore, "find" | "list" | "listByOrigin">;
  readonly pins: Pick<Pins, "status">;
  readonly assetIndex: Pick<Assets, "find">;
  readonly journal: Pick<Journal, "history" | "get" | "pruned">;
  readonly approvals: Pick<ApprovalRequests, "pending" | "answerTo">;
  readonly conversations: Pick<ConversationStore, "list">;
  readonly recall: Pick<RecallStore, "search" | "get" | "history" | "copies" | "scan" | "status">;
  readonly noteRows: Pick<NoteIndexStore, "load">;
  readonly noteVectors: Pick<NoteVectorStore, "load">;
}

/** Contract: makes nothing. The journal is what was written in times without a store. */
export function createEmptyStore(options: Pick<OpenStoreOptions, "budget" | "journalFile" | "recall">): EmptyStore {
  const { history, get, pruned } = createFileJournal(options.journalFile);
  const none = async (): Promise<readonly never[]> => [];
  const noEntry = async (id: string): Promise<never> => {
    throw new IkigaiError("not_found", `There is no recall entry ${JSON.stringify(id.slice(0, 40))}`, {
      hint: "Use an id that a search shows.",
    });
  };
  return {
    blocks: { find: none, list: none, listByOrigin: none },
    pins: { status: async () => ({ pinned: 0, limit: options.budget ?? BUDGET, level: "fine", pins: [] }) },
    assetIndex: { find: async () => undefined },
    journal: { history, get, pruned },
    approvals: { pending: none, answerTo: async () => undefined },
    conversations: { list: none },
    recall: {
      search: none,
      get: noEntry,
      history: noEntry,
      copies: async () => new Map(),
      scan: none,
      status: () => noEntries(options),
    },
    noteRows: { load: none },
    noteVectors: { load: none },
  };
}

async function noEntries({ recall }: Pick<OpenStoreOptions, "recall">): Promise<RecallStatus> {
  if (recall?.embedder === undefined) return { entries: 0 };
  const { id: model } = chooseEmbedder(recall.embedder, await loadPart("@ikigai/recall", "recall"));
  return { entries: 0, embedded: 0, model };
}
