import type { Manifest, Message } from "@ikigai/agent";
import type { createAssetSource, Assets, Store } from "@ikigai/memory";
import type { NoteIndexStore, NoteRowCodec, NoteVectorStore } from "@ikigai/notes";
import type { RecallStore } from "@ikigai/recall";
import type { PostgresStore } from "@ikigai/store-postgres";

/** The store in PostgreSQL, with the tables of the packages that are installed beside it. */
export interface OpenedStore extends PostgresStore<Message, Manifest> {
  /** Absent: not installed. */
  readonly recall: RecallStore | undefined;
  /** Rows of the index over this workspace's notes. */
  noteRows(codec: NoteRowCodec): NoteIndexStore;
  readonly noteVectors: NoteVectorStore;
}

/** The store of a host. Contract: none of its members costs anything until it is used. */
export interface HostStore extends Store<Message, Manifest> {
  readonly assets: Assets;
  readonly assetSource: ReturnType<typeof createAssetSource>;
  readonly recall: RecallStore;
  /** Absent: nothing keeps them. */
  readonly noteRows: ((codec: NoteRowCodec) => NoteIndexStore) | undefined;
  readonly noteVectors: NoteVectorStore | undefined;
  /** The store in PostgreSQL. Contract: opens it. */
  open(): Promise<OpenedStore>;
  /** Whether there is a store already, here or at its address. Contract: makes and opens none. */
  exists(): Promise<boolean>;
  readonly opened: boolean;
  /** The store, once somebody needed it. Contract: opens nothing. */
  readonly whenOpened: Promise<OpenedStore>;
}
