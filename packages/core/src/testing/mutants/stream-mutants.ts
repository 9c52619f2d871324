import type { DataStream, DataStreamDefinition, StreamEvent } from "../../source/source.ts";
import { memoryStream, type MemoryFeed, type MemoryStreamOptions } from "../memory-stream.ts";

type Mutation = (good: DataStream, feed: MemoryFeed) => Partial<DataStream>;

/** Streams that break one promise each. */
export const STREAM_MUTANTS: Readonly<Record<string, Mutation>> = {
  "events share a cursor": (good) => ({ events: (options) => each(good, options, (one) => ({ ...one, cursor: "1" })) }),
  "events have numbers for cursors": (good) => ({
    events: (options) => each(good, options, (one) => ({ ...one, cursor: Number(one.cursor) as never })),
  }),
  "events say nothing": (good) => ({ events: (options) => each(good, options, (one) => ({ ...one, text: " " })) }),
  "events have no time": (good) => ({
    events: (options) => each(good, options, (one) => ({ ...one, at: new Date("soon") })),
  }),
  "data is circular": (good) => ({
    events: (options) =>
      each(good, options, (one) => {
        const data: Record<string, unknown> = {};
        return { ...one, data: Object.assign(data, { data }) };
      }),
  }),
  "events never end": (good) => ({
    events: ({ after }) => good.events({ signal: new AbortController().signal, ...(after !== undefined && { after }) }),
  }),
  "events throw on abort": (good) => ({
    async *events(options) {
      yield* good.events(options);
      options.signal.throwIfAborted();
    },
  }),
  "events end only with the next event": (good) => ({
    async *events({ signal, after }) {
      const never = new AbortController().signal;
      for await (const event of good.events({ signal: never, ...(after !== undefined && { after }) })) {
        if (signal.aborted) return;
        yield event;
      }
    },
  }),
  "an aborted signal still gives what is there": (good, feed) => ({
    async *events(options) {
      if (options.signal.aborted) yield* feed.events;
      yield* good.events(options);
    },
  }),
  "events end by themselves": (good) => ({
    async *events(options) {
      let left = 2;
      for await (const event of good.events(options)) {
        yield event;
        if (--left === 0) return;
      }
    },
  }),
  "events stop after ten": (good) => ({
    async *events(options) {
      let count = 0;
      for await (const event of good.events(options)) if (count++ < 10) yield event;
    },
  }),
  "a cursor is empty": (good) => ({ events: (options) => each(good, options, (one) => ({ ...one, cursor: "" })) }),
  "a text is no text": (good) => ({
    events: (options) => each(good, options, (one) => ({ ...one, text: 1 as never })),
  }),
  "cursors repeat after five": (good) => ({
    events: (options) => each(good, options, (one) => ({ ...one, cursor: String(Number(one.cursor) % 5) })),
  }),
  "close never ends": () => ({ close: () => new Promise(() => {}) }),
  "one reader takes the events of the other": (good, feed) => ({
    events(options) {
      feed.readers.clear();
      return good.events(options);
    },
  }),
  "the first abort ends all readers": (good, feed) => ({
    events(options) {
      options.signal.addEventListener("abort", () => feed.readers.clear());
      return good.events(options);
    },
  }),
  "a reader that leaves takes the stream with it": (good, feed) => ({
    async *events(options) {
      try {
        yield* good.events(options);
      } finally {
        feed.readers.add = () => feed.readers;
      }
    },
  }),
  "replay repeats the cursor's event": (good) => ({
    events: (options) =>
      good.events(options.after === undefined ? options : { ...options, after: String(Number(options.after) - 1) }),
  }),
  "replay skips one": (good) => ({
    events: (options) =>
      good.events(options.after === undefined ? options : { ...options, after: String(Number(options.after) + 1) }),
  }),
  "replay starts from the beginning": (good) => ({ events: ({ signal }) => good.events({ signal, after: "0" }) }),
  "replay is ignored": (good) => ({ events: ({ signal }) => good.events({ signal }) }),
  "replay knows its own instance only": (good) => {
    const own = new Set<string>();
    return {
      async *events({ signal, after }) {
        const known = after !== undefined && own.has(after);
        for await (const event of good.events(known ? { signal, after } : { signal })) {
          own.add(event.cursor);
          yield event;
        }
      },
    };
  },
  "close throws the second time": () => {
    let closed = false;
    return {
      async close() {
        if (closed) throw new Error("already closed");
        closed = true;
      },
    };
  },
};

/** The reference stream with one mutation. */
export function mutateStream(mutation: Mutation): DataStreamDefinition<MemoryStreamOptions> {
  return {
    ...memoryStream,
    async open(options, host) {
      const good = await memoryStream.open(options, host);
      return { ...good, ...mutation(good, options.feed as MemoryFeed) };
    },
  };
}

/** Definitions that are broken as such. */
export const STREAM_DEFINITION_MUTANTS: Readonly<Record<string, DataStreamDefinition<MemoryStreamOptions>>> = {
  "speaks another contract": { ...memoryStream, contract: 2 as never },
  "accepts any options": {
    ...memoryStream,
    options: { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: value as never }) } },
  },
};

async function* each(
  good: DataStream,
  options: Parameters<DataStream["events"]>[0],
  change: (event: StreamEvent) => StreamEvent,
): AsyncGenerator<StreamEvent> {
  for await (const event of good.events(options)) yield change(event);
}
