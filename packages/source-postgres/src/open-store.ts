import { type Database, type DatabaseOptions, migrate, openDatabase } from "@ikigai/database";
import { z, type ZodType } from "zod";
import { type AssetStore, type AssetStoreOptions, createAssetStore } from "./asset-store.ts";
import { assetMigrations } from "./migrations.ts";

/** What a host can give all its asset sources. */
export interface AssetServices extends AssetStoreOptions {
  /** A database that is shared; absent: each source opens its own from its options. */
  readonly database?: Database;
}

/** Where a source finds its database, and whose assets are meant when nobody in particular acts. */
export type AssetOptions = (SharedOptions | FolderOptions | UrlOptions) & { readonly owner: string };

interface SharedOptions {
  readonly directory?: undefined;
  readonly url?: undefined;
}

interface FolderOptions {
  readonly directory: string;
  readonly schema?: string | undefined;
  readonly cacheDirectory?: string | undefined;
  readonly keeperIdleMs?: number | undefined;
  readonly durable?: boolean | undefined;
}

interface UrlOptions {
  readonly url: string;
  readonly schema?: string | undefined;
}

const owner = z.string().min(1).default("default");
const schema = z.string().optional();

const ownDatabase: ZodType<AssetOptions> = z.union([
  z.object({
    owner,
    schema,
    directory: z.string().min(1),
    cacheDirectory: z.string().optional(),
    keeperIdleMs: z.number().optional(),
    durable: z.boolean().optional(),
  }),
  z.object({ owner, schema, url: z.string().min(1) }),
]);

/** With a shared database there is only the owner to choose. */
const sharedDatabase: ZodType<AssetOptions> = z.object({ owner });

export function optionsSchema({ database }: AssetServices): ZodType<AssetOptions> {
  return database === undefined ? ownDatabase : sharedDatabase;
}

export interface OpenStore {
  readonly database: Database;
  readonly store: AssetStore;
  /** Contract: the first call connects and migrates; a failed one is tried again by the next. */
  readonly ready: () => Promise<void>;
  /** Closes the database unless it was passed in. */
  readonly close: () => Promise<void>;
}

export function openStore(options: AssetOptions, services: AssetServices): OpenStore {
  const database = services.database ?? openDatabase(options as DatabaseOptions);
  let migrated: Promise<unknown> | undefined;
  return {
    database,
    store: createAssetStore(database, services),
    async ready() {
      migrated ??= migrate(database, [assetMigrations]);
      try {
        await migrated;
      } catch (error) {
        migrated = undefined;
        throw error;
      }
    },
    async close() {
      if (services.database === undefined) await database.close();
    },
  };
}
