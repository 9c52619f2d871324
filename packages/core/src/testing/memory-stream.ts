import { type DataStreamDefinition, defineDataStream, type StreamEvent } from "../source/source.ts";
import { memoryOptions } from "./memory-source.ts";
import { createQueue } from "./queue.ts";

/** Where {@link memoryStream} takes its events from. */
export interface MemoryFeed {
  readonly events: StreamEvent[];
  readonly readers: Set<(event: StreamEvent) => void>;
}

export interface MemoryStreamOptions {
  /** Default: one that stays silent. */
  readonly feed?: MemoryFeed;
}

export function createMemoryFeed(): MemoryFeed {
  return { events: [], readers: new Set() };
}

/** Makes an event happen in `feed`. */
export function emit(feed: MemoryFeed, text: string, data?: unknown): StreamEvent {
  const cursor = String(feed.events.length + 1);
  const event = { cursor, at: new Date(), text, ...(data !== undefined && { data }) };
  feed.events.push(event);
  for (const reader of feed.readers) reader(event);
  return event;
}

/** The reference stream: in memory, with replay. */
export const memoryStream: DataStreamDefinition<MemoryStreamOptions> = defineDataStream({
  name: "memory-stream",
  capabilities: ["replay"],
  options: memoryOptions("feed"),
  open: async ({ feed = createMemoryFeed() }) => ({
    events({ signal, after }) {
      const { push, values } = createQueue<StreamEvent>(signal, () => feed.readers.delete(push));
      const missed = after === undefined ? [] : feed.events.slice(Number(after));
      for (const event of missed) push(event);
      feed.readers.add(push);
      return values;
    },
  }),
});
