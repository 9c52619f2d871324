import { calendarOf, type DaySpan } from "./day.ts";
import type { FoundDates, YearlyDate } from "./find-dates.ts";

const EXACT = 1.5;
const INSIDE = 1;
const NEAR = 0.3;
const NEAR_DAYS = 31;

/** How well an entry's time answers the dates of a query: 0 (not at all) to 1.5 (the very day). */
export function dateMatch(asked: FoundDates, happened: number | undefined, mentioned: readonly DaySpan[]): number {
  let best = 0;
  for (const span of asked.spans) {
    if (happened !== undefined) best = Math.max(best, closeness(span, happened));
    for (const mention of mentioned) best = Math.max(best, overlap(span, mention));
  }
  for (const yearly of asked.yearly) {
    if (happened !== undefined) best = Math.max(best, yearlyCloseness(yearly, happened));
    for (const { from, to } of mentioned)
      if (to - from <= NEAR_DAYS) best = Math.max(best, yearlyCloseness(yearly, from));
  }
  return best;
}

function closeness(span: DaySpan, day: number): number {
  const away = Math.max(span.from - day, day - span.to, 0);
  const single = span.to - span.from <= 2;
  if (single && away <= 1) return EXACT;
  if (away === 0 || (single && away <= 14)) return INSIDE;
  return away <= NEAR_DAYS ? NEAR : 0;
}

/** A mention counts for as much as it is precise: a year that contains the day asked for says little. */
function overlap(asked: DaySpan, mention: DaySpan): number {
  const shared = Math.min(asked.to, mention.to) - Math.max(asked.from, mention.from) + 1;
  return shared <= 0 ? 0 : EXACT * Math.sqrt(shared / (mention.to - mention.from + 1));
}

function yearlyCloseness(yearly: YearlyDate, day: number): number {
  const date = calendarOf(day);
  const apart = Math.min((date.month - yearly.month + 12) % 12, (yearly.month - date.month + 12) % 12);
  if (apart === 0 && yearly.day !== undefined && Math.abs(date.day - yearly.day) <= 1) return EXACT;
  if (apart === 0) return INSIDE;
  return apart === 1 ? NEAR : 0;
}
