import type pg from "pg";

/** A connection that somebody has to himself for a while. */
export interface Lease {
  readonly client: pg.ClientBase;
  /** Gives it back. Contract: `broken` when its state is not known; then it is closed. */
  release(broken: boolean): void;
}

/** Where connections come from. */
export interface Connections {
  /** Contract: rejects with an error of `pg` or of ours; whoever gets a lease releases it. */
  acquire(): Promise<Lease>;
  /** Settings of one more connection, outside the pool, to the place where the pool connects now. */
  separate(): Promise<pg.ClientConfig>;
  /** The place, without secrets. */
  readonly location: string;
  close(): Promise<void>;
}
