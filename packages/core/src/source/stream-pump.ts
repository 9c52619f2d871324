import { IkigaiError } from "../errors.ts";
import type { DataStream, StreamEvent } from "./source.ts";

export interface PullOptions {
  /** Cursor of the last event that was taken. Absent: from the oldest that is kept. */
  readonly after?: string;
  /** How many events at most. Default 100. */
  readonly limit?: number;
}

export interface PulledEvents {
  readonly events: readonly StreamEvent[];
  /** How many events behind `after` were dropped, because more came than are kept; at most, when `after` was too. */
  readonly missed: number;
}

export type StreamState = "running" | "paused" | "ended" | "failed";

/** Runs one stream: keeps its latest events, and pauses and resumes it. */
export interface StreamPump {
  readonly state: StreamState;
  readonly lastCursor: string | undefined;
  /** Error that ended the stream, when it failed. */
  readonly failure: unknown;
  pull(options?: PullOptions): PulledEvents;
  /** Contract: after it returns no listener is called, until `resume`. */
  pause(): void;
  resume(): void;
  /** Contract: resolves when the stream's generator has ended. */
  stop(): Promise<void>;
}

interface StreamPumpOptions {
  readonly replay: boolean;
  /** Cursor that an earlier host stopped at. Only for a stream with replay. */
  readonly after?: string | undefined;
  /** Called when the stream does not know the given cursor and is therefore read from its own beginning. */
  readonly onUnknownCursor?: (error: unknown) => void;
  /** How many events are kept, at least one. */
  readonly keep: number;
  /** Contract: does not throw. */
  readonly onEvent: (event: StreamEvent) => void;
  readonly onFailure: (error: unknown) => void;
}

const DEFAULT_LIMIT = 100;

/**
 * Starts to consume `stream`.
 *
 * Contract: while paused, a stream with replay is not read and continues behind its last cursor; one without is read
 * on and its events are held back, the latest `keep` of them. `onEvent` hears each event once, in order.
 */
export function startStreamPump(stream: DataStream, options: StreamPumpOptions): StreamPump {
  const { replay, after, onUnknownCursor, onEvent, onFailure } = options;
  const keep = Math.max(1, options.keep);
  const kept: StreamEvent[] = [];
  let total = 0;
  let told = 0;
  let paused = false;
  let state: StreamState = "running";
  let failure: unknown;
  let lastCursor: string | undefined = after;
  let reading = new AbortController();
  let done = read(reading.signal);

  async function read(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    try {
      for await (const event of stream.events(lastCursor === undefined ? { signal } : { signal, after: lastCursor })) {
        if (signal.aborted) return;
        lastCursor = event.cursor;
        kept.push(event);
        total++;
        if (kept.length > keep) kept.shift();
        tell();
        if (paused && replay) return reading.abort();
      }
      if (!signal.aborted) state = "ended";
    } catch (error) {
      if (signal.aborted) return;
      if (total === 0 && lastCursor !== undefined && isUnknownCursor(error)) {
        lastCursor = undefined;
        onUnknownCursor?.(error);
        return read(signal);
      }
      state = "failed";
      failure = error;
      onFailure(error);
    }
  }

  function tell(): void {
    told = Math.max(told, total - kept.length);
    while (told < total) {
      // A listener may pause the stream, and then the rest waits.
      if (paused) return;
      onEvent(kept[told++ - total + kept.length] as StreamEvent);
    }
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
    pull({ after: behind, limit = DEFAULT_LIMIT } = {}) {
      const position = behind === undefined ? -1 : kept.findIndex(({ cursor }) => cursor === behind);
      const lost = behind === undefined || position === -1 ? total - kept.length : 0;
      return { events: kept.slice(position + 1, position + 1 + limit), missed: lost };
    },
    pause() {
      paused = true;
      // Before the first event there is no cursor to continue behind, so the stream is read on until it comes.
      if (replay && lastCursor !== undefined) reading.abort();
    },
    resume() {
      if (!paused) return;
      paused = false;
      tell();
      if (paused || !reading.signal.aborted || state !== "running") return;
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

/** A stream that cannot be reached for now must not lose its place; one that was configured anew has no such place. */
function isUnknownCursor(error: unknown): boolean {
  return IkigaiError.is(error, "invalid_input") || IkigaiError.is(error, "not_found");
}
