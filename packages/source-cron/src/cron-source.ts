import { type DataStreamDefinition, defineDataStream, IkigaiError, type StreamEvent } from "@ikigai/core";
import { type Clock, systemClock } from "./clock.ts";
import { type CronSourceOptions, cronSourceOptions } from "./options.ts";
import { createSchedule, type Schedule } from "./schedule.ts";

const MAX_MISSED = 1_000;

/**
 * A timer as a stream, with the clock of the caller's choice.
 *
 * Contract: an event's cursor is the time it was due, so a reader that comes back gets every event that came due
 * meanwhile, the latest `maxMissed` of them; the first then says in `data.skipped` whether older ones were left out.
 */
export function createCronSource(clock: Clock = systemClock): DataStreamDefinition<CronSourceOptions> {
  return defineDataStream({
    name: "cron",
    capabilities: ["replay"],
    options: cronSourceOptions,
    guidance: (mount) => `"${mount}" is a timer: it sends an event whenever it is due.`,
    async open(options: CronSourceOptions) {
      const schedule = createSchedule(options);
      const { text = "Timer", maxMissed = MAX_MISSED } = options;
      return {
        async *events({ signal, after }) {
          let last = after === undefined ? clock.now() : timeOf(after);
          let skipped = false;
          if (after !== undefined) ({ last, skipped } = catchUp(schedule, last, clock.now(), maxMissed));
          while (!signal.aborted) {
            const due = schedule.next(last);
            if (due === undefined) return;
            while (!signal.aborted && clock.now() < due) await clock.wait(due - clock.now(), signal);
            if (signal.aborted) return;
            yield eventAt(due, text, skipped);
            skipped = false;
            last = due;
          }
        },
      };
    },
  });
}

/** Timers by interval or cron expression. */
export const cronSource: DataStreamDefinition<CronSourceOptions> = createCronSource();

function catchUp(
  schedule: Schedule,
  last: number,
  now: number,
  maxMissed: number,
): { readonly last: number; readonly skipped: boolean } {
  const earliest = schedule.back(now, maxMissed);
  return earliest === undefined || earliest <= last ? { last, skipped: false } : { last: earliest, skipped: true };
}

function eventAt(due: number, text: string, skipped: boolean): StreamEvent {
  const at = new Date(due);
  return { cursor: at.toISOString(), at, text, data: { due: at.toISOString(), ...(skipped && { skipped }) } };
}

function timeOf(cursor: string): number {
  const time = Date.parse(cursor);
  if (!Number.isNaN(time)) return time;
  throw new IkigaiError("invalid_input", `${JSON.stringify(cursor)} is not a cursor of a timer`, {
    hint: "Use the cursor of an event, which is the time it was due.",
  });
}
