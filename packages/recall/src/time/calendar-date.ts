import { calendarOf, type DaySpan, dayOfCalendar, monthSpan, yearSpan } from "./day.ts";
import type { DatePhrase } from "./find-dates.ts";
import { dayNumber, MONTHS, SEASONS, yearNumber } from "./words.ts";

/** Words before which "may", "march" and a bare month or year mean a date. */
const BEFORE_DATES = new Set("in on of during since until by from before after early mid late around".split(" "));
const AMBIGUOUS = new Set(["may", "march", "mar", "jan", "sep", "dec", "fall", "spring"]);

type Yearless = "nearest" | "any";

/** A date of the calendar that begins at a word: "7 March 2023", "March 7th", "summer 2022", "2023-03". */
export function calendarDate(
  words: readonly string[],
  at: number,
  today: number,
  yearless: Yearless,
): DatePhrase | undefined {
  return (
    isoDate(words[at] as string) ??
    dayFirst(words, at, today, yearless) ??
    monthFirst(words, at, today, yearless) ??
    seasonOf(words, at) ??
    bareYear(words, at)
  );
}

function isoDate(word: string): DatePhrase | undefined {
  const match = /^(\d{4})-(\d{1,2})(?:-(\d{1,2}))?$/.exec(word);
  if (match === null) return undefined;
  const [year, month] = [yearNumber(match[1]), Number(match[2])];
  if (year === undefined || month < 1 || month > 12) return undefined;
  if (match[3] === undefined) return { words: 1, span: monthSpan(year, month) };
  const day = dayOfCalendar(year, month, Number(match[3]));
  return day === undefined ? undefined : { words: 1, span: { from: day, to: day } };
}

function dayFirst(words: readonly string[], at: number, today: number, yearless: Yearless): DatePhrase | undefined {
  const day = dayNumber(words[at]);
  if (day === undefined) return undefined;
  const gap = words[at + 1] === "of" ? 2 : 1;
  const month = MONTHS.get(words[at + gap] ?? "");
  return month === undefined ? undefined : dated(words, at, at + gap + 1, month, day, today, yearless);
}

function monthFirst(words: readonly string[], at: number, today: number, yearless: Yearless): DatePhrase | undefined {
  const month = MONTHS.get(words[at] as string);
  if (month === undefined) return undefined;
  const day = dayNumber(words[at + 1]);
  if (day !== undefined) return dated(words, at, at + 2, month, day, today, yearless);
  const year = yearNumber(words[at + 1]);
  if (year !== undefined) return { words: 2, span: monthSpan(year, month) };
  if (AMBIGUOUS.has(words[at] as string) && !BEFORE_DATES.has(words[at - 1] ?? "")) return undefined;
  if (yearless === "any") return { words: 1, yearly: { month } };
  return { words: 1, span: nearest(today, (candidate) => monthSpan(candidate, month)) };
}

function dated(
  words: readonly string[],
  start: number,
  end: number,
  month: number,
  day: number,
  today: number,
  yearless: Yearless,
): DatePhrase | undefined {
  const year = yearNumber(words[end]);
  const taken = end - start + (year === undefined ? 0 : 1);
  if (year === undefined && yearless === "any") return { words: taken, yearly: { month, day } };
  const inYear = (candidate: number): DaySpan | undefined => {
    const found = dayOfCalendar(candidate, month, day);
    return found === undefined ? undefined : { from: found, to: found };
  };
  const span = year === undefined ? nearest(today, inYear) : inYear(year);
  return span === undefined ? undefined : { words: taken, span };
}

function seasonOf(words: readonly string[], at: number): DatePhrase | undefined {
  const month = SEASONS.get(words[at] as string);
  const gap = words[at + 1] === "of" ? 2 : 1;
  const year = yearNumber(words[at + gap]);
  if (month === undefined || year === undefined) return undefined;
  return { words: gap + 1, span: seasonSpan(year, month) };
}

/** Three months from the first; a winter ends in the following year. */
export function seasonSpan(year: number, month: number): DaySpan {
  return { from: monthSpan(year, month).from, to: monthSpan(year, month + 2).to };
}

function bareYear(words: readonly string[], at: number): DatePhrase | undefined {
  const year = yearNumber(words[at]);
  return year !== undefined && BEFORE_DATES.has(words[at - 1] ?? "") ? { words: 1, span: yearSpan(year) } : undefined;
}

/** Of last year, this year and next year, the one whose span lies closest to today. */
function nearest<T extends DaySpan | undefined>(today: number, inYear: (year: number) => T): T {
  const { year } = calendarOf(today);
  const distance = (span: T): number => (span === undefined ? Infinity : Math.abs((span.from + span.to) / 2 - today));
  return [year, year - 1, year + 1].map(inYear).reduce((best, span) => (distance(span) < distance(best) ? span : best));
}
