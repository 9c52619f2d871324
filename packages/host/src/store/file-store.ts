import { dirname } from "node:path";
import { defineDataBlock } from "@ikigai/core";
import {
  type Assets,
  type BlockStore,
  createAudit,
  createFileJournal,
  createMemoryBlockStore,
  fileSink,
  readAuditRows,
} from "@ikigai/memory";
import { createMemoryConversations } from "@ikigai/agent";
import { makePrivateFolder } from "@ikigai/permission";
import type { RecallStore } from "@ikigai/recall";
import { z } from "zod";
import { FEATURES, installCommand, missingFor, notInstalled } from "../parts/features.ts";
import type { HostStore } from "./host-store.ts";
import type { OpenStoreOptions } from "./store-options.ts";
import { tellOfDropped, tellOfDroppedJournal } from "./tell-of-dropped.ts";

/** Tokens that an agent's pins may have in all, where nobody set a limit. */
const BUDGET = 100_000;

/**
 * What there is without a store: the journal and the audit are files, and a store that is added later takes them in.
 *
 * Contract: blocks and conversations end with the process, and that is said; everything else that a store gives is
 * `unavailable` with how to add one.
 */
export function createFileStore(options: OpenStoreOptions, warn: (message: string) => void): HostStore {
  const { auditFile, journalFile, budget: limit = BUDGET } = options;
  const ready = once(() => makePrivateFolder(dirname(journalFile)));
  const audit = createAudit(fileSink(auditFile, { sync: true, onDropped: tellOfDropped(warn) }));
  const journal = createFileJournal(journalFile, () => new Date(), { onDropped: tellOfDroppedJournal(warn) });
  const say = once(async () => {
    const { does } = FEATURES.store;
    warn(`blocks end with this process. ${does} needs a store: ${installCommand(missingFor("store"))}`);
  });
  return {
    open: refuse,
    exists: async () => false,
    opened: false,
    whenOpened: new Promise(() => {}),
    blocks: sayingOnCreate(createMemoryBlockStore(), say),
    guard: async () => {},
    pins: { status: async () => ({ pinned: 0, limit, level: "fine", pins: [] }), setLimit: refuse },
    assets: absentAssets,
    assetSource: absentAssetSource(),
    journal: { ...journal, intend: async (entry) => ready().then(() => journal.intend(entry)) },
    audit: {
      intent: async (call) => ready().then(() => audit.intent(call)),
      outcome: async (call) => ready().then(() => audit.outcome(call)),
      written: async () => {},
      read: (query) => readAuditRows(auditFile, query),
      takeIn: async () => {},
    },
    conversations: createMemoryConversations(),
    approvals: { add: refuse, pending: refuse, answer: refuse, answerTo: refuse, withdraw: refuse },
    positions: { load: refuse, save: refuse },
    recall: absentRecall,
    noteRows: undefined,
    noteVectors: undefined,
    prune: refuse,
    refused: async () => [],
    close: async () => {},
  };
}

async function refuse(): Promise<never> {
  throw notInstalled("store");
}

async function* refuseToList(): AsyncGenerator<never> {
  yield await refuse();
}

const absentRecall: RecallStore = {
  insert: refuse,
  search: refuse,
  get: refuse,
  history: refuse,
  erase: refuse,
  mirror: refuse,
  unmirror: refuse,
  copies: refuse,
  scan: refuse,
  status: refuse,
};

const absentAssets: Assets = {
  open: () => ({
    read: refuse,
    list: refuseToList,
    write: refuse,
    remove: refuse,
    watch: refuseToList,
    history: refuseToList,
  }),
  read: refuse,
  list: refuseToList,
  find: refuse,
  change: refuse,
  changes: refuseToList,
  position: refuse,
};

/** Stands where the stored assets would be, so that their addresses say what is missing. */
function absentAssetSource(): HostStore["assetSource"] {
  const definition = defineDataBlock<{ owner: string }>({
    name: "not installed",
    capabilities: [],
    options: z.strictObject({ owner: z.string() }),
    open: async () => ({ read: refuse, list: refuseToList }),
  });
  return definition as unknown as HostStore["assetSource"];
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
