import { type Manifest, type Message, titleOf } from "@ikigai/agent";
import { createAssetSource, createFileStore, hasFileStore } from "@ikigai/memory";
import { makePrivateFolder } from "@ikigai/permission";
import { notInstalled } from "../parts/features.ts";
import { openTokenCounter } from "../tokens/open-token-counter.ts";
import type { HostStore } from "./host-store.ts";
import type { OpenStoreOptions } from "./store-options.ts";
import { tellOfDropped, tellOfDroppedJournal } from "./tell-of-dropped.ts";

/**
 * The store of a host without a database: plain files, which a database that is added later takes in.
 *
 * Contract: the archive and what else needs a database are `unavailable` with how to add one.
 */
export async function openFileStore(options: OpenStoreOptions, warn: (message: string) => void): Promise<HostStore> {
  const { folder, auditFile, journalFile, assetMount, owner, journal, budget, canCompact = false } = options;
  const store = createFileStore<Message, Manifest>({
    folder,
    auditFile,
    journalFile,
    assetMount,
    journal,
    warn,
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
    assetSource: createAssetSource(store.assets, owner, "FileAssetSource"),
    open: refuse,
    exists: () => hasFileStore(folder),
    opened: true,
    whenOpened: Promise.resolve(store),
  };
}

async function refuse(): Promise<never> {
  throw notInstalled("store");
}
