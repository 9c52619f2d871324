import { randomUUID } from "node:crypto";
import { type Manifest, type Message, titleOf } from "@ikigai/agent";
import type { AssetDetails } from "@ikigai/core/assets";
import { type Database, type MigrationSet, openDatabase } from "@ikigai/database";
import {
  type AssetHook,
  assetMigrations,
  createAssetStore,
  followAssets,
  openAssetSource,
} from "@ikigai/source-postgres";
import {
  type AssetTable,
  createNoteRows,
  createNoteVectors,
  createPostgresStore,
  storeMigrations,
} from "@ikigai/store-postgres";
import { countTokens } from "../tokens/count-tokens.ts";
import type { OpenedStore } from "./host-store.ts";
import { storeFolder } from "./store-folder.ts";
import type { OpenStoreOptions } from "./store-options.ts";

/**
 * Opens the store in PostgreSQL: assets, indices and the tables that parts `added`, in one database.
 *
 * Contract: connects when it is first used.
 */
export function openPostgresStore(options: OpenStoreOptions, added: readonly MigrationSet[]): OpenedStore {
  const { location, workspace } = options;
  const store = createPostgresStore<Message, Manifest>({
    ...options,
    database: openDatabase("directory" in location ? { directory: storeFolder(location.directory) } : location),
    migrations: [assetMigrations, storeMigrations, ...added],
    openAssets,
    countTokens,
    titleOf,
  });
  const { database } = store;
  return {
    ...store,
    indexStore: {
      rows: (codec) => createNoteRows(database, workspace, codec),
      vectors: createNoteVectors(database, workspace),
    },
  };
}

function openAssets(database: Database, hook: AssetHook): AssetTable {
  const program = randomUUID();
  const services = { database, countTokens, hooks: [hook], program };
  const table = createAssetStore(database, services);
  return {
    open: (owner) => openAssetSource({ owner }, services),
    read: table.read,
    list: table.list,
    update: (path, { details, ...update }, change) =>
      table.update(path, { ...update, details: details as AssetDetails }, change),
    changes: (owner, following) => followAssets(database, owner, { ...following, program }),
    position: table.position,
    prune: table.prune,
  };
}
