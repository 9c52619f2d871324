import { randomBytes } from "node:crypto";
import type { TextChange, StreamEvent } from "@ikigai/core";
import { createEventQueue } from "./event-queue.ts";

/** The latest changes of a folder, which any number of readers can follow from any point on. */
export interface ChangeLog {
  add(change: TextChange): void;
  fail(error: unknown): void;
  /** Contract: behind `after`, or from now on without it. A cursor that is no longer kept means the oldest that is. */
  follow(signal: AbortSignal, after: string | undefined): AsyncIterable<StreamEvent>;
}

interface Reader {
  push(event: StreamEvent): void;
  fail(error: unknown): void;
}

/** Changes that a log keeps, so that they can be read again. */
const KEEP = 10_000;

export function createChangeLog(mount: string, now: () => Date = () => new Date()): ChangeLog {
  const name = randomBytes(4).toString("hex");
  const kept: StreamEvent[] = [];
  const readers = new Set<Reader>();
  let count = 0;
  let failure: { readonly error: unknown } | undefined;

  return {
    add({ path, change }) {
      const event: StreamEvent = {
        cursor: `${name}-${++count}`,
        at: now(),
        text: `${path} was ${change}`,
        data: { uri: `${mount}:///${path}`, path, change },
      };
      kept.push(event);
      if (kept.length > KEEP) kept.shift();
      for (const reader of readers) reader.push(event);
    },
    fail(error) {
      failure = { error };
      for (const reader of readers) reader.fail(error);
    },
    follow(signal, after) {
      const reader = createEventQueue<StreamEvent>(signal, () => void readers.delete(reader));
      const position = kept.findIndex(({ cursor }) => cursor === after);
      if (after !== undefined) for (const event of kept.slice(position + 1)) reader.push(event);
      if (failure !== undefined) reader.fail(failure.error);
      readers.add(reader);
      return reader.values;
    },
  };
}
