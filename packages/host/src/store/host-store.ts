import type { Manifest, Message } from "@ikigai/agent";
import type { IndexStore } from "@ikigai/core/host";
import type { createAssetSource, Assets, Store } from "@ikigai/memory";
import type { RecallStore } from "@ikigai/recall";
import type { PostgresStore } from "@ikigai/store-postgres";

/** The store in PostgreSQL, with the tables of the packages that are installed beside it. */
export interface OpenedStore extends PostgresStore<Message, Manifest> {
  /** Absent: not installed. */
  readonly recall: RecallStore | undefined;
  /** Indices over the texts of this workspace. */
  readonly indexStore: IndexStore;
}

/** A store that is open. */
export type StoreInUse = Pick<PostgresStore<Message, Manifest>, "assets" | "positions" | "prune">;

/** The store of a host. Contract: none of its members costs anything until it is used. */
export interface HostStore extends Store<Message, Manifest> {
  readonly assets: Assets;
  readonly assetSource: ReturnType<typeof createAssetSource>;
  readonly recall: RecallStore;
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
