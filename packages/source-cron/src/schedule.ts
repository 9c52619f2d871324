import { Cron } from "croner";
import type { CronSourceOptions } from "./options.ts";

/** The times at which a timer goes off, in milliseconds since 1970. */
export interface Schedule {
  /** Contract: the first time later than `time`; `undefined` when there is none. */
  next(time: number): number | undefined;
  /** Contract: the last time at or before `time`, `steps` further back. */
  back(time: number, steps: number): number | undefined;
}

export function createSchedule({ everyMs, cron, timezone = "UTC" }: CronSourceOptions): Schedule {
  if (everyMs !== undefined) {
    return {
      next: (time) => (Math.floor(time / everyMs) + 1) * everyMs,
      back: (time, steps) => (Math.floor(time / everyMs) - steps) * everyMs,
    };
  }
  const job = new Cron(cron ?? "", { timezone, paused: true });
  return {
    next: (time) => job.nextRun(new Date(time))?.getTime(),
    // Runs have whole seconds; a reference just behind the time includes it.
    back: (time, steps) =>
      job
        .previousRuns(steps + 1, new Date(Math.floor(time / 1_000 + 1) * 1_000))
        .at(steps)
        ?.getTime(),
  };
}
