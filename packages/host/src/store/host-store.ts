import type { Manifest, Message } from "@ikigai/agent";
import type { IndexStore, StoreTables } from "@ikigai/core/host";
import type { createAssetSource, Assets, Store } from "@ikigai/memory";
import type { PostgresStore } from "@ikigai/store-postgres";

/** The store in PostgreSQL, with the tables that parts added. */
export interface OpenedStore extends PostgresStore<Message, Manifest> {
  /** Indices over the texts of this workspace. */
  readonly indexStore: IndexStore;
}

/** A store that is open. */
export type StoreInUse = Pick<PostgresStore<Message, Manifest>, "assets" | "positions" | "prune">;

/** The store of a host. Contract: none of its members costs anything until it is used. */
export interface HostStore extends Store<Message, Manifest> {
  readonly assets: Assets;
  readonly assetSource: ReturnType<typeof createAssetSource>;
  /** Its database, for parts that keep tables there. Absent: there is none. */
  readonly tables?: StoreTables;
  /** Absent: nothing keeps indices. */
  readonly indexStore?: IndexStore;
  /** The store in PostgreSQL. Contract: opens it. */
  open(): Promise<OpenedStore>;
  /** Whether there is a store already, here or at its address. Contract: makes and opens none. */
  exists(): Promise<boolean>;
  readonly opened: boolean;
  /** The store, once somebody needed it. Contract: opens nothing; plain files are open from the beginning. */
  readonly whenOpened: Promise<StoreInUse>;
}
