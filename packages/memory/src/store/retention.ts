/** How much of one kind is kept. What is beyond either limit goes. */
export interface Keep {
  /** Absent: however old. */
  readonly days?: number | undefined;
  /** The latest ones. Absent: however many. */
  readonly rows?: number | undefined;
}

/** How much history is kept. What is absent is kept for ever. */
export interface Retention {
  readonly journal?: Keep | undefined;
  readonly audit?: Keep | undefined;
  readonly conversations?: Keep | undefined;
}

/** How many rows of each kind went, or would. */
export type PrunedRows = Readonly<Record<keyof Retention, number>>;

export interface PruneOptions {
  /** Only counts. Default false. */
  readonly dryRun?: boolean;
  /** Default: the clock of the store, in files that of the machine. */
  readonly now?: Date;
}
