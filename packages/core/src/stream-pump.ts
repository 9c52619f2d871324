import type { DataStream, StreamEvent } from "./source.ts";

export interface PullOptions {
  /** Cursor of the last event that was taken. Absent: from the oldest that is kept. */
  readonly after?: string;
  /** How many events at most. Default 100. */
  readonly limit?: number;
}

export interface PulledEvents {
  readonly events: readonly StreamEvent[];
  /** Events after `after` that were dropped because more came than are kept. */
  readonly missed: number;
}

export type StreamState = "running" | "paused" | "ended" | "failed";

/** Runs one stream: keeps its latest events, and pauses and resumes it. */
export interface StreamPump {
  readonly state: StreamState;
  readonly lastCursor: string | undefined;
  /** What ended it, when it failed. */
  readonly failure: unknown;
  pull(options?: PullOptions): PulledEvents;
  /** Contract: after it returns no listener is called, until `resume`. */
  pause(): void;
  resume(): void;
  /** Contract: resolves when the stream's generator has ended. */
  stop(): Promise<void>;
}

const DEFAULT_LIMIT = 100;

/**
 * Starts to consume `stream`.
 *
 * Contract: while paused, a stream with replay is not read and continues behind its last cursor; one without is read
 * on and its events are held back, the latest `keep` of them. `onEvent` hears each event once, in order.
 */
export function startStreamPump(
  stream: DataStream,
  options: { readonly replay: boolean; readonly keep: number; readonly onEvent: (event: StreamEvent) => void },
): StreamPump {
  const { replay, keep, onEvent } = options;
  const kept: StreamEvent[] = [];
  let total = 0;
  let told = 0;
  let paused = false;
  let state: StreamState = "running";
  let failure: unknown;
  let lastCursor: string | undefined;
  let reading = new AbortController();
  let done = read(reading.signal);

  async function read(signal: AbortSignal): Promise<void> {
    try {
      for await (const event of stream.events(lastCursor === undefined ? { signal } : { signal, after: lastCursor })) {
        if (signal.aborted) return;
        lastCursor = event.cursor;
        kept.push(event);
        total++;
        if (kept.length > keep) kept.shift();
        if (!paused) tell();
      }
      if (!signal.aborted) state = "ended";
    } catch (error) {
      if (signal.aborted) return;
      state = "failed";
      failure = error;
    }
  }

  function tell(): void {
    const from = Math.max(told, total - kept.length);
    told = total;
    for (const event of kept.slice(from - total + kept.length)) onEvent(event);
  }

  return {
    get state() {
      return paused && state === "running" ? "paused" : state;
    },
    get lastCursor() {
      return lastCursor;
    },
    get failure() {
      return failure;
    },
    pull({ after, limit = DEFAULT_LIMIT } = {}) {
      const position = after === undefined ? -1 : kept.findIndex(({ cursor }) => cursor === after);
      const lost = after === undefined || position === -1 ? total - kept.length : 0;
      return { events: kept.slice(position + 1, position + 1 + limit), missed: lost };
    },
    pause() {
      paused = true;
      if (replay) reading.abort();
    },
    resume() {
      if (!paused) return;
      paused = false;
      tell();
      if (!replay || state !== "running") return;
      reading = new AbortController();
      const { signal } = reading;
      done = done.then(() => read(signal));
    },
    async stop() {
      reading.abort();
      await done;
    },
  };
}
