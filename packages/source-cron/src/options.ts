import { Cron } from "croner";
import { z } from "zod";

/** When a timer goes off, and what it says. */
export interface CronSourceOptions {
  /** Milliseconds between events, counted from 1970, so that every reader agrees on the times. */
  readonly everyMs?: number | undefined;
  /** A cron expression of five fields, or six with seconds first. Give this or `everyMs`. */
  readonly cron?: string | undefined;
  /** The time zone of `cron`. Default `UTC`. */
  readonly timezone?: string | undefined;
  /** What each event says. Default `Timer`. */
  readonly text?: string | undefined;
  /** How many missed events are made up for after a pause or a restart; older ones are counted. Default 1,000. */
  readonly maxMissed?: number | undefined;
}

export const cronSourceOptions: z.ZodType<CronSourceOptions> = z
  .strictObject({
    everyMs: z.int().positive().optional(),
    cron: z.string().min(1).max(256).optional(),
    timezone: z.string().min(1).optional(),
    text: z.string().trim().min(1).max(10_000).optional(),
    maxMissed: z.int().positive().max(100_000).optional(),
  })
  .refine(({ everyMs, cron }) => (everyMs === undefined) !== (cron === undefined), "give either everyMs or cron")
  .superRefine(({ cron, timezone = "UTC" }, { addIssue }) => {
    if (cron === undefined) return;
    try {
      if (new Cron(cron, { timezone, paused: true }).nextRun() === null) addIssue("cron never comes due");
    } catch (error) {
      addIssue(`cron: ${(error as Error).message}`);
    }
  });
