import type { CallIntent } from "@ikigai/core/host";

/** Where state lives. */
export type StoreLocation = { readonly directory: string } | { readonly url: string };

/** The files of a store, and those where rows wait until a database takes them in. */
export interface WaitingFiles {
  /** Audit rows of commands that needed no store. */
  readonly auditFile: string;
  /** Journal entries of times without a store. */
  readonly journalFile: string;
  /** The folder of a store in plain files. */
  readonly folder: string;
}

export interface OpenStoreOptions extends WaitingFiles {
  readonly location: StoreLocation;
  readonly assetMount: string;
  readonly owner: string;
  /** Tells workspaces apart. */
  readonly workspace: string;
  /** Tokens that an agent's pins may have in all. */
  readonly budget?: number;
  /** Whether `/compact` is offered, so that a refusal may advise it. Default false. */
  readonly canCompact?: boolean;
  /** Whether changes are written down. */
  readonly journal: boolean;
  /** Whether the only act of a call is one change that the journal announces. Default: it is not. */
  readonly isAnnounced?: (call: CallIntent) => boolean;
  /** Told what takes a while, such as making the store. */
  readonly notify?: (message: string) => void;
  /** Told what went wrong where nobody waits for an answer. */
  readonly warn?: (message: string) => void;
}
