import { calendarDate } from "./calendar-date.ts";
import { type DaySpan, dayOf } from "./day.ts";
import { relativeDate } from "./relative-date.ts";

/** A month, or a day of it, in whatever year. */
export interface YearlyDate {
  readonly month: number;
  readonly day?: number;
}

/** The dates that a text speaks of. */
export interface FoundDates {
  readonly spans: readonly DaySpan[];
  /** Dates without a year. Empty when they were settled by `nearest`. */
  readonly yearly: readonly YearlyDate[];
}

/** What one phrase means, and how many words it took. */
export interface DatePhrase {
  readonly words: number;
  readonly span?: DaySpan;
  readonly yearly?: YearlyDate;
}

export interface FindDatesOptions {
  /** Moment that "yesterday" and "last May" are relative to. */
  readonly now: Date;
  /** `nearest` gives a date without a year the year that brings it closest to `now`; default `any`. */
  readonly yearless?: "nearest" | "any";
}

const WORD = /\d{4}-\d{1,2}(?:-\d{1,2})?|\d+(?:st|nd|rd|th)?|[a-z]+/g;
const MAX_WORDS = 4_000;
const MAX_SPANS = 8;

/**
 * Dates in English prose and in ISO form: "on 7 March 2023", "last May", "two weeks ago", "2023-03-07".
 *
 * Contract: never throws; linear in the text, of which it reads the first 4,000 words; at most eight dates. Words that
 * only look like dates ("you may", "march on") are none.
 */
export function findDates(text: string, { now, yearless = "any" }: FindDatesOptions): FoundDates {
  const words = firstWords(text);
  const today = dayOf(now);
  const spans: DaySpan[] = [];
  const yearly: YearlyDate[] = [];
  for (let at = 0; at < words.length && spans.length + yearly.length < MAX_SPANS;) {
    const phrase = relativeDate(words, at, today) ?? calendarDate(words, at, today, yearless);
    if (phrase?.span !== undefined) spans.push(phrase.span);
    if (phrase?.yearly !== undefined) yearly.push(phrase.yearly);
    at += phrase?.words ?? 1;
  }
  return { spans, yearly };
}

function firstWords(text: string): readonly string[] {
  const words: string[] = [];
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    words.push(word);
    if (words.length === MAX_WORDS) break;
  }
  return words;
}
