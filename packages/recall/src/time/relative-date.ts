import { seasonSpan } from "./calendar-date.ts";
import { calendarOf, type DaySpan, monthSpan, weekSpan, yearSpan } from "./day.ts";
import type { DatePhrase } from "./find-dates.ts";
import { countOf, MONTHS, SEASONS, WEEKDAYS } from "./words.ts";

const NEAR_DAYS: ReadonlyMap<string, number> = new Map([
  ["today", 0],
  ["tonight", 0],
  ["yesterday", -1],
  ["tomorrow", 1],
]);
const STEPS: ReadonlyMap<string, number> = new Map([
  ["last", -1],
  ["previous", -1],
  ["past", -1],
  ["this", 0],
  ["next", 1],
  ["coming", 1],
]);
const PARTS_OF_DAY = new Set(["night", "evening", "afternoon", "morning"]);

/** A date counted from today that begins at a word: "yesterday", "last May", "two weeks ago", "in three days". */
export function relativeDate(words: readonly string[], at: number, today: number): DatePhrase | undefined {
  return (
    nearDay(words, at, today) ?? stepped(words, at, today) ?? counted(words, at, today) ?? weekday(words, at, today)
  );
}

function nearDay(words: readonly string[], at: number, today: number): DatePhrase | undefined {
  if (words[at] === "day" && words[at + 2] === "yesterday" && words[at + 1] === "before") return one(3, today - 2);
  const offset = NEAR_DAYS.get(words[at] as string);
  return offset === undefined ? undefined : one(1, today + offset);
}

function stepped(words: readonly string[], at: number, today: number): DatePhrase | undefined {
  const step = STEPS.get(words[at] as string);
  const unit = words[at + 1];
  if (step === undefined || unit === undefined) return undefined;
  const { year, month } = calendarOf(today);
  if (PARTS_OF_DAY.has(unit)) return one(2, today + step);
  const found = (span: DaySpan): DatePhrase => ({ words: 2, span });
  if (unit === "week") return found(weekSpan(today + 7 * step));
  if (unit === "weekend") return found(weekendOf(weekSpan(today + 7 * step)));
  if (unit === "month") return found(monthSpan(year, month + step));
  if (unit === "year") return found(yearSpan(year + step));
  const day = WEEKDAYS.get(unit);
  if (day !== undefined) return one(2, weekdayFrom(today, day, step));
  const named = MONTHS.get(unit);
  if (named !== undefined) return found(monthSpan(year + yearStep(step, month, named), named));
  const season = SEASONS.get(unit);
  if (season === undefined) return undefined;
  return found(seasonSpan(year + yearStep(step, month, season + 2), season));
}

/** "Last May" in June is this year's, in April last year's. */
function yearStep(step: number, current: number, named: number): number {
  if (step < 0) return named < current ? 0 : -1;
  if (step > 0) return named > current ? 0 : 1;
  return 0;
}

function counted(words: readonly string[], at: number, today: number): DatePhrase | undefined {
  const ahead = words[at] === "in";
  let next = ahead ? at + 1 : at;
  const count =
    words[next] === "a" && /^(?:few|couple)$/.test(words[next + 1] ?? "")
      ? countOf(words[++next])
      : countOf(words[next]);
  if (count === undefined) return undefined;
  if (words[next + 1] === "of") next += 1;
  const unit = /^(day|week|month|year)s?$/.exec(words[next + 1] ?? "")?.[1];
  if (unit === undefined || (!ahead && words[next + 2] !== "ago")) return undefined;
  return { words: next + (ahead ? 2 : 3) - at, span: offset(today, ahead ? count : -count, unit) };
}

/** The further away, the vaguer: weeks, months and years mean the whole of them. */
function offset(today: number, count: number, unit: string): DaySpan {
  const { year, month } = calendarOf(today);
  if (unit === "day") return { from: today + count, to: today + count };
  if (unit === "week") return { from: today + 7 * count - 3, to: today + 7 * count + 3 };
  if (unit === "month") return monthSpan(year, month + count);
  return yearSpan(year + count);
}

/** "on Friday", "the Friday before": the last one that has been. */
function weekday(words: readonly string[], at: number, today: number): DatePhrase | undefined {
  const day = WEEKDAYS.get(words[at] as string);
  return day === undefined ? undefined : one(1, weekdayFrom(today, day, -1));
}

function weekdayFrom(today: number, day: number, step: number): number {
  const current = calendarOf(today).weekday;
  if (step < 0) return today - ((current - day + 6) % 7) - 1;
  return today + ((day - current + 6) % 7) + 1;
}

function weekendOf(week: DaySpan): DaySpan {
  return { from: week.to - 1, to: week.to };
}

function one(words: number, day: number): DatePhrase {
  return { words, span: { from: day, to: day } };
}
