import { IkigaiError, messageOf } from "@ikigai/core";
import type { StoreTables } from "@ikigai/core/host";
import type { MigrationSet } from "@ikigai/database";
import { createAssetSource, hasFileStore } from "@ikigai/memory";
import { makePrivateFolder } from "@ikigai/permission";
import { loadPart } from "../parts/features.ts";
import type { HostStore, OpenedStore } from "./host-store.ts";
import {
  lazyApprovals,
  lazyAssets,
  lazyBlocks,
  lazyConversations,
  lazyIndexStore,
  lazyJournal,
  lazyPins,
  lazyPositions,
  type StoreAccess,
} from "./lazy-members.ts";
import { createSplitAudit } from "./split-audit.ts";
import { storeExists } from "./store-folder.ts";
import type { OpenStoreOptions } from "./store-options.ts";

const NOTHING_PRUNED = { journal: 0, audit: 0, conversations: 0 };

/**
 * The store in PostgreSQL, opened when something needs it.
 *
 * Contract: a command that only reads starts no store: while there is none, reads are answered as an empty one would,
 * and audit rows wait in a file. The first change, pin or conversation makes it.
 */
export function createLazyStore(options: OpenStoreOptions, warn: (message: string) => void): HostStore {
  const added: MigrationSet[] = [];
  let store: Promise<OpenedStore> | undefined;
  let tell: (opened: Promise<OpenedStore>) => void;
  const whenOpened = new Promise<OpenedStore>((resolve) => (tell = resolve));
  const open = (): Promise<OpenedStore> => {
    if (store === undefined) {
      store = makeAndOpen(options, added);
      // Whoever opened it hears of a failure; whoever waits goes on waiting.
      store.then(
        (opened) => tell(Promise.resolve(opened)),
        () => {},
      );
    }
    return store;
  };
  const opened = (): boolean => store !== undefined;
  const exists = async (): Promise<boolean> =>
    opened() || (await storeExists(options.location)) || hasFileStore(options.folder);
  const access: StoreAccess = { open, exists };
  const assets = lazyAssets(access);
  const tables: StoreTables = {
    add(set) {
      if (opened())
        throw new IkigaiError("conflict", `The store is open already; ${set.name} adds its tables too late`);
      added.push(set);
    },
    open: async () => (await open()).database,
    exists,
    whenOpened,
  };
  return {
    open,
    exists,
    whenOpened,
    get opened() {
      return opened();
    },
    blocks: lazyBlocks(access),
    guard: async (pinned) => (await open()).guard(pinned),
    pins: lazyPins(access, options.budget),
    assets,
    assetSource: createAssetSource(assets, options.owner),
    journal: lazyJournal(access, options.journalFile),
    audit: createSplitAudit(options, { open, exists, opened, warn }),
    approvals: lazyApprovals(access),
    conversations: lazyConversations(access),
    positions: lazyPositions(access),
    tables,
    indexStore: lazyIndexStore(access),
    prune: async (retention, pruneOptions) =>
      (await exists()) ? (await open()).prune(retention, pruneOptions) : NOTHING_PRUNED,
    refused: async () => (await loadPart("@ikigai/store-postgres", "store")).readAllRefused(options),
    async close() {
      const present = await store;
      await present?.audit.takeIn().catch((error: unknown) => warn(`audit rows wait in a file: ${messageOf(error)}`));
      await present?.close();
    },
  };
}

async function makeAndOpen(options: OpenStoreOptions, added: readonly MigrationSet[]): Promise<OpenedStore> {
  if ("directory" in options.location) {
    if (!(await storeExists(options.location)))
      options.notify?.(`Making the store in ${options.location.directory}, once. This takes a few seconds …`);
    await makePrivateFolder(options.location.directory);
  }
  const store = (await import("./open-postgres-store.ts")).openPostgresStore(options, added);
  await takeInPlainFiles(store, options);
  return store;
}

/** Contract: what cannot be taken in stays in its files for the next time, and that is said. */
async function takeInPlainFiles({ database }: OpenedStore, { folder, budget, warn }: OpenStoreOptions): Promise<void> {
  if (!(await hasFileStore(folder))) return;
  const { takeInFiles } = await loadPart("@ikigai/store-postgres", "store");
  const { takeInAssets } = await loadPart("@ikigai/source-postgres", "store");
  const limit = budget === undefined ? {} : { limit: budget };
  await takeInFiles(database, folder, { takeInAssets, ...limit }).catch((error: unknown) =>
    warn?.(`assets, blocks and conversations wait in ${folder}: ${messageOf(error)}`),
  );
}
