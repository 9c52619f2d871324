import type { SourceHost, StreamEvent } from "@ikigai/core";
import { testDataStream } from "@ikigai/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";
import { cronSource } from "./index.ts";
import { type Clock } from "./clock.ts";
import { createCronSource } from "./cron-source.ts";
import { type CronSourceOptions } from "./options.ts";
import { createSchedule } from "./schedule.ts";

const host: SourceHost = { mount: "timer", signal: new AbortController().signal, services: {}, warn: () => {} };

testDataStream({ test, source: cronSource, options: () => ({ everyMs: 2 }) });

/** A clock that jumps to whatever is waited for. */
function jumpingClock(start: string): Clock & { time: number } {
  return {
    time: Date.parse(start),
    now() {
      return this.time;
    },
    async wait(ms) {
      this.time += Math.max(1, ms);
    },
  };
}

async function take(clock: Clock, options: CronSourceOptions, count: number, after?: string): Promise<StreamEvent[]> {
  const stream = await createCronSource(clock).open(options, host);
  const { signal } = new AbortController();
  const events: StreamEvent[] = [];
  for await (const event of stream.events(after === undefined ? { signal } : { signal, after })) {
    if (events.push(event) === count) break;
  }
  return events;
}

const cursors = (events: readonly StreamEvent[]): string[] => events.map(({ cursor }) => cursor);

test("a cron expression is due at its times, in its zone", async () => {
  const clock = jumpingClock("2026-03-28T12:00:00Z");
  const events = await take(clock, { cron: "30 9 * * *", timezone: "Europe/Berlin", text: "Stand-up" }, 2);
  // The clocks went forward in between.
  expect(cursors(events)).toEqual(["2026-03-29T07:30:00.000Z", "2026-03-30T07:30:00.000Z"]);
  expect(events[0]).toMatchObject({ text: "Stand-up", data: { due: "2026-03-29T07:30:00.000Z" } });
});

test("a reader that comes back gets what came due meanwhile", async () => {
  const clock = jumpingClock("2026-01-01T10:30:00Z");
  const events = await take(clock, { cron: "0 * * * *" }, 4, "2026-01-01T07:00:00.000Z");
  expect(cursors(events).map((cursor) => cursor.slice(11, 13))).toEqual(["08", "09", "10", "11"]);
});

test.each([{ cron: "0 * * * *" }, { everyMs: 3_600_000 }])(
  "of too many missed events the latest come: %j",
  async (by) => {
    const clock = jumpingClock("2026-01-10T10:00:00Z");
    const events = await take(clock, { ...by, maxMissed: 2 }, 3, "2025-01-01T00:00:00.000Z");
    expect(cursors(events).map((cursor) => cursor.slice(8, 13))).toEqual(["10T09", "10T10", "10T11"]);
    expect(events.map(({ data }) => (data as { skipped?: boolean }).skipped)).toEqual([true, undefined, undefined]);
  },
);

test("an interval falls on the same times for everybody", async () => {
  const early = await take(jumpingClock("2026-01-01T00:00:01Z"), { everyMs: 10_000 }, 1);
  const late = await take(jumpingClock("2026-01-01T00:00:09Z"), { everyMs: 10_000 }, 1);
  expect(early).toEqual(late);
});

test("an expression that ends, ends the stream", async () => {
  const options = { cron: "0 0 0 1 1 * 2026" };
  expect(cursors(await take(jumpingClock("2025-06-01T00:00:00Z"), options, 5))).toEqual(["2026-01-01T00:00:00.000Z"]);
});

test("a cursor that is no time is refused", async () => {
  const taking = take(jumpingClock("2026-01-01T00:00:00Z"), { everyMs: 1 }, 1, "yesterday");
  await expect(taking).rejects.toMatchObject({ code: "invalid_input" });
});

test.each([
  {},
  { everyMs: 1, cron: "* * * * *" },
  { everyMs: 0 },
  { cron: "every day" },
  { cron: "61 * * * *" },
  { cron: "* * * * *", timezone: "Mars/Base" },
  { cron: "0 0 30 2 *" },
])("the options %j are refused", async (options) => {
  expect((await cronSource.options["~standard"].validate(options)).issues).toBeDefined();
});

test("the next time of an interval timer lies within one interval, and one step back is the time before", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 0, max: 2e12 }), (everyMs, time) => {
      const schedule = createSchedule({ everyMs });
      const next = schedule.next(time) ?? Number.NaN;
      expect(next).toBeGreaterThan(time);
      expect(next - time).toBeLessThanOrEqual(everyMs);
      expect(schedule.back(next, 1)).toBe(next - everyMs);
    }),
  );
});

test("waiting ends at once when nobody waits any more", async () => {
  await systemClock.wait(1e9, AbortSignal.abort());
  const leaving = new AbortController();
  const waited = systemClock.wait(1e9, leaving.signal);
  leaving.abort();
  await expect(waited).resolves.toBeUndefined();
});
