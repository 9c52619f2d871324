import { type Manifest, type Message, titleOf } from "@ikigai/agent";
import { defineDataBlock } from "@ikigai/core";
import { type Assets, createFileStore } from "@ikigai/memory";
import { makePrivateFolder } from "@ikigai/permission";
import type { RecallStore } from "@ikigai/recall";
import { z } from "zod";
import { notInstalled } from "../parts/features.ts";
import { openTokenCounter } from "../tokens/open-token-counter.ts";
import type { HostStore } from "./host-store.ts";
import type { OpenStoreOptions } from "./store-options.ts";
import { tellOfDropped, tellOfDroppedJournal } from "./tell-of-dropped.ts";

/**
 * The store of a host without a database: plain files, which a database that is added later takes in.
 *
 * Contract: assets, the archive and what else needs a database are `unavailable` with how to add one.
 */
export async function openFileStore(options: OpenStoreOptions, warn: (message: string) => void): Promise<HostStore> {
  const { folder, auditFile, journalFile, budget, canCompact = false } = options;
  const store = createFileStore<Message, Manifest>({
    folder,
    auditFile,
    journalFile,
    countTokens: await openTokenCounter(),
    titleOf,
    canCompact,
    ...(budget !== undefined && { budget }),
    makeFolder: makePrivateFolder,
    onAuditDropped: tellOfDropped(warn),
    onJournalDropped: tellOfDroppedJournal(warn),
  });
  return {
    ...store,
    assets: absentAssets,
    assetSource: absentAssetSource(),
    recall: absentRecall,
    open: refuse,
    exists: async () => false,
    opened: false,
    whenOpened: new Promise(() => {}),
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
