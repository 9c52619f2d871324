import { dirname } from "node:path";
import type { ConversationStore } from "@ikigai/agent";
import { defineDataBlock } from "@ikigai/core";
import type { Audit } from "@ikigai/core/host";
import { type BlockStore, createAudit, createFileJournal, createMemoryBlockStore, fileSink } from "@ikigai/memory";
import { makePrivateFolder } from "@ikigai/permission";
import { z } from "zod";
import { FEATURES, installCommand, missingFor, notInstalled } from "../parts/features.ts";
import { createEmptyStore } from "./empty-store.ts";
import { forward } from "./forward.ts";
import type { LazyStore } from "./lazy-store.ts";
import type { OpenStoreOptions } from "./open-store.ts";
import { tellOfDropped, tellOfDroppedJournal } from "./tell-of-dropped.ts";

/**
 * What there is without a store: the journal and the audit are files, and a store that is added later takes them in.
 *
 * Contract: blocks and conversations end with the process, and that is said; everything else that a store gives is
 * `unavailable` with how to add one.
 */
export function createFileStore(options: OpenStoreOptions, warn: (message: string) => void): LazyStore {
  const refuse = async (): Promise<never> => {
    throw notInstalled("store");
  };
  const ready = once(() => makePrivateFolder(dirname(options.journalFile)));
  const audit = createAudit(fileSink(options.spool, { sync: true, onDropped: tellOfDropped(warn) }));
  const kept = createFileJournal(options.journalFile, () => new Date(), { onDropped: tellOfDroppedJournal(warn) });
  const say = once(async () => {
    const { does } = FEATURES.store;
    warn(`blocks end with this process. ${does} needs a store: ${installCommand(missingFor("store"))}`);
  });
  const conversations = once(async () => (await import("@ikigai/agent")).createMemoryConversations());
  return {
    open: refuse,
    spool: options.spool,
    exists: async () => false,
    opened: false,
    whenOpened: new Promise(() => {}),
    blocks: sayingOnCreate(createMemoryBlockStore(), say),
    guard: async () => {},
    pins: { ...createEmptyStore(options).pins, setLimit: refuse },
    assetIndex: { list: () => rejecting(refuse), find: refuse, change: refuse },
    journal: {
      intend: async (entry) => ready().then(() => kept.intend(entry)),
      settle: (id, end) => kept.settle(id, end),
      history: (uri, query) => kept.history(uri, query),
      ofCall: (callId) => kept.ofCall(callId),
      get: (id) => kept.get(id),
      pruned: (uri, query) => kept.pruned(uri, query),
    },
    audit: {
      intent: async (call) => ready().then(() => audit.intent(call)),
      outcome: async (call) => ready().then(() => audit.outcome(call)),
    } satisfies Audit,
    conversations: forward<ConversationStore>(conversations),
    approvals: forward(refuse),
    recall: forward(refuse),
    noteRows: undefined,
    noteVectors: undefined,
    assetSource: absentAssets(),
    close: async () => {},
  };
}

/** Stands where the stored assets would be, so that their addresses say what is missing. */
function absentAssets(): LazyStore["assetSource"] {
  const refuse = async (): Promise<never> => {
    throw notInstalled("store");
  };
  const definition = defineDataBlock<{ owner: string }>({
    name: "not installed",
    capabilities: [],
    options: z.strictObject({ owner: z.string() }),
    open: async () => ({ read: refuse, list: () => rejecting(refuse) }),
  });
  return definition as unknown as LazyStore["assetSource"];
}

async function* rejecting(refuse: () => Promise<never>): AsyncGenerator<never> {
  yield await refuse();
}

function sayingOnCreate(store: BlockStore, say: () => Promise<void>): BlockStore {
  return {
    ...store,
    async create(block) {
      await say();
      return store.create(block);
    },
  };
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => (done ??= work());
}
