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
import type { PartModules } from "../parts/features.ts";
import { countTokens } from "../tokens/count-tokens.ts";
import type { OpenedStore } from "./host-store.ts";
import { openRecall } from "./open-recall.ts";
import { storeFolder } from "./store-folder.ts";
import type { OpenStoreOptions } from "./store-options.ts";

type Recall = PartModules["@ikigai/recall"];

function migrationsWith(recall: Recall | undefined): readonly MigrationSet[] {
  const own = [assetMigrations, storeMigrations];
  return recall === undefined ? own : [...own, { name: "recall", migrations: recall.recallMigrations }];
}

/** Opens the store in PostgreSQL: assets, archive and note rows in one database. Contract: connects when it is first used. */
export function openPostgresStore(options: OpenStoreOptions, recall: Recall | undefined): OpenedStore {
  const { location, workspace } = options;
  const store = createPostgresStore<Message, Manifest>({
    ...options,
    database: openDatabase("directory" in location ? { directory: storeFolder(location.directory) } : location),
    migrations: migrationsWith(recall),
    openAssets,
    countTokens,
    titleOf,
  });
  const { database } = store;
  const archive = recall && openRecall(database, options, recall);
  return {
    ...store,
    recall: archive?.store,
    indexStore: {
      rows: (codec) => createNoteRows(database, workspace, codec),
      vectors: createNoteVectors(database, workspace),
    },
    async close() {
      await archive?.[Symbol.asyncDispose]();
      await store.close();
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
