import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { DataStream, StreamEvent } from "../source/source.ts";
import { ShowsNothing, type SourceBench, type SuiteCase } from "./suite.ts";

export interface StreamBench extends SourceBench<DataStream> {
  /** Absent: the stream makes its events by itself, or makes none while the suite looks. */
  readonly provoke?: (count: number) => Promise<void>;
  /** The time, in milliseconds, from which a stream that nobody provokes counts as quiet. */
  readonly quietAt: number;
  /** The most events that any reader of this case has seen. */
  readonly seen: { most: number };
}

type StreamCase = SuiteCase<StreamBench>;

const PROVOKE_EVERY_MS = 50;

/** What every stream promises. */
export const streamCases: readonly StreamCase[] = [
  {
    id: "stream/events/unique-cursors",
    async run(bench) {
      const events = await take(bench, startReader(bench, await bench.open()), 12);
      for (const { cursor } of events) assert.ok(typeof cursor === "string" && cursor !== "", "a cursor is a text");
      assert.equal(new Set(events.map(({ cursor }) => cursor)).size, events.length);
    },
  },
  {
    id: "stream/events/readable",
    async run(bench) {
      for (const { text, at, data } of await take(bench, startReader(bench, await bench.open()), 3)) {
        assert.ok(typeof text === "string" && text.trim() !== "", "an event says something");
        assert.ok(at instanceof Date && !Number.isNaN(at.getTime()), "an event has a time");
        assert.doesNotThrow(() => JSON.stringify(data), "data is plain JSON");
      }
    },
  },
  {
    id: "stream/events/ends-on-abort",
    async run(bench) {
      const reader = startReader(bench, await bench.open());
      await take(bench, reader, 1);
      await reader.stop();
    },
  },
  {
    id: "stream/events/ends-on-abort-while-waiting",
    async run(bench) {
      await startReader(bench, await bench.open()).stop();
    },
  },
  {
    id: "stream/events/aborted-signal-ends",
    async run(bench) {
      const stream = await bench.open();
      await take(bench, startReader(bench, stream), 1);
      for await (const event of stream.events({ signal: AbortSignal.abort() })) assert.fail(`got ${event.text}`);
    },
  },
  {
    id: "stream/events/reader-may-leave",
    async run(bench) {
      const stream = await bench.open();
      const first = stream.events({ signal: bench.ended })[Symbol.asyncIterator]();
      const taking = first.next();
      await until(bench, taking);
      await first.return?.();
      await take(bench, startReader(bench, stream), 1);
    },
  },
  {
    id: "stream/events/readers-are-independent",
    async run(bench) {
      const stream = await bench.open();
      const [first, second] = [startReader(bench, stream), startReader(bench, stream)];
      await take(bench, first, 2);
      await take(bench, second, 2);
      await first.stop();
      const before = second.seen.length;
      await take(bench, second, before + 1);
    },
  },
  {
    id: "stream/close/twice",
    async run({ open }) {
      const stream = await open();
      await stream.close?.();
      await stream.close?.();
    },
  },
];

/** What a stream promises that claims `replay`. */
export const replayCases: readonly StreamCase[] = [
  {
    id: "stream/replay/starts-after-cursor",
    async run(bench) {
      const stream = await bench.open();
      const events = cursorsOf(await take(bench, startReader(bench, stream), 4));
      for (const [at, after] of events.slice(0, 3).entries()) {
        const wanted = events.slice(at + 1);
        const again = cursorsOf(await take(bench, startReader(bench, stream, after), wanted.length));
        assert.deepEqual(again.slice(0, wanted.length), wanted);
      }
    },
  },
  {
    id: "stream/replay/in-another-instance",
    async run(bench) {
      const events = cursorsOf(await take(bench, startReader(bench, await bench.open()), 3));
      const again = cursorsOf(await take(bench, startReader(bench, await bench.open(), events[0]), 2));
      assert.deepEqual(again.slice(0, 2), events.slice(1, 3));
    },
  },
  {
    id: "stream/replay/never-repeats",
    async run(bench) {
      const stream = await bench.open();
      const reader = startReader(bench, stream);
      await take(bench, reader, 3);
      await reader.stop();
      const known = new Set(cursorsOf(reader.seen));
      const next = await take(bench, startReader(bench, stream, reader.seen.at(-1)?.cursor), 2);
      for (const { cursor } of next) assert.ok(!known.has(cursor), `"${cursor}" comes a second time`);
    },
  },
];

interface Reader {
  readonly seen: readonly StreamEvent[];
  /** Resolves when `count` events were seen. Rejects when the stream ends before. */
  reach(count: number): Promise<void>;
  /** Aborts, and resolves when the stream has ended. Rejects when it throws. */
  stop(): Promise<void>;
}

/** Reads at once: the first step is taken before this returns. */
function startReader({ ended, seen: total }: StreamBench, stream: DataStream, after?: string): Reader {
  const aborting = new AbortController();
  const signal = AbortSignal.any([aborting.signal, ended]);
  const seen: StreamEvent[] = [];
  let step = (): void => {};
  let late = 0;
  const done = (async () => {
    for await (const event of stream.events(after === undefined ? { signal } : { signal, after })) {
      // One event may have been on its way when the stream was aborted.
      if (signal.aborted && late++ > 0) assert.fail(`an event came after the abort: ${event.text}`);
      seen.push(event);
      total.most = Math.max(total.most, seen.length);
      step();
    }
    if (!signal.aborted) assert.fail("the stream ended by itself");
  })();
  done.catch(() => {});
  return {
    seen,
    async reach(count) {
      while (seen.length < count) {
        const more = new Promise<void>((resolve) => (step = resolve));
        await Promise.race([more, done.then(() => assert.fail("the stream ended"))]);
      }
    },
    async stop() {
      aborting.abort();
      await done;
    },
  };
}

async function take(bench: StreamBench, reader: Reader, count: number): Promise<readonly StreamEvent[]> {
  await until(bench, reader.reach(count), count);
  return reader.seen;
}

/**
 * Provokes events until `arrival` settles.
 *
 * Contract: without `provoke`, too few events for any reader are no failure: the stream is quiet, and the case shows
 * nothing. Gives up when the case ends.
 */
async function until(bench: StreamBench, arrival: Promise<unknown>, count = 1): Promise<void> {
  const { provoke, quietAt, seen } = bench;
  const controller = new AbortController();
  const signal = AbortSignal.any([controller.signal, bench.ended]);
  const arrived = arrival.finally(() => controller.abort());
  arrived.catch(() => {});
  while (!signal.aborted) {
    await provoke?.(count);
    const wait = provoke === undefined ? Math.max(1, quietAt - Date.now()) : PROVOKE_EVERY_MS;
    await Promise.race([arrived, delay(wait, undefined, { signal }).catch(() => {})]);
    if (provoke === undefined && !signal.aborted && seen.most < count && Date.now() >= quietAt) {
      throw new ShowsNothing(`the stream was quiet: ${seen.most} of ${count} events came while the case waited`);
    }
  }
  bench.ended.throwIfAborted();
  await arrived;
}

function cursorsOf(events: readonly StreamEvent[]): string[] {
  return events.map(({ cursor }) => cursor);
}
