/** Something that happened to a background job. */
export interface JobEvent {
  readonly sequence: number;
  readonly at: Date;
  readonly job: string;
  readonly agent: string;
  readonly kind: "start" | "output" | "exit";
  readonly text: string;
  readonly exitCode?: number;
}

/** The latest events of all jobs, in order. */
export interface JobLog {
  add(event: Omit<JobEvent, "sequence" | "at">): void;
  /** The events behind `sequence` that are kept, and how many are not any more. */
  after(sequence: number): { readonly events: readonly JobEvent[]; readonly missed: number };
  /** Resolves when an event is added, the log is closed or `signal` aborts. */
  next(signal: AbortSignal): Promise<void>;
  readonly isClosed: boolean;
  close(): void;
}

const KEPT_EVENTS = 1_000;

export function createJobLog(keep: number = KEPT_EVENTS): JobLog {
  const events: JobEvent[] = [];
  const waiting = new Set<() => void>();
  let sequence = 0;
  let closed = false;
  const wake = (): void => {
    for (const resolve of waiting) resolve();
  };

  return {
    add(event) {
      events.push({ ...event, sequence: ++sequence, at: new Date() });
      if (events.length > keep) events.shift();
      wake();
    },
    after(last) {
      const kept = events.filter((event) => event.sequence > last);
      return { events: kept, missed: Math.max(0, sequence - last - kept.length) };
    },
    async next(signal) {
      if (closed || signal.aborted) return;
      let settle = (): void => {};
      await new Promise<void>((resolve) => {
        settle = resolve;
        waiting.add(resolve);
        signal.addEventListener("abort", settle, { once: true });
      });
      waiting.delete(settle);
      signal.removeEventListener("abort", settle);
    },
    get isClosed() {
      return closed;
    },
    close() {
      closed = true;
      wake();
    },
  };
}
