import type { DaySpan } from "../time/day.ts";

const MS_PER_DAY = 86_400_000;

/** Entries of a date that are looked at although they have none of the query's words. */
export const DATE_CANDIDATES = 50;

/** The moments of a span of days, the second excluded. */
export function dateWindow({ from, to }: DaySpan): { from: Date; to: Date } {
  return { from: new Date(from * MS_PER_DAY), to: new Date((to + 1) * MS_PER_DAY) };
}
