const MS_PER_DAY = 86_400_000;

/** Days from one to another, both included, counted from 1 January 1970 in UTC. */
export interface DaySpan {
  readonly from: number;
  readonly to: number;
}

export function dayOf(date: Date): number {
  return Math.floor(date.getTime() / MS_PER_DAY);
}

/** Contract: `month` is 1 to 12; undefined when the calendar has no such day. */
export function dayOfCalendar(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return dayOf(date);
}

export function calendarOf(day: number): { year: number; month: number; day: number; weekday: number } {
  const date = new Date(day * MS_PER_DAY);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
  };
}

/** All days of a month; months before January and after December belong to the years around. */
export function monthSpan(year: number, month: number): DaySpan {
  const start = Math.floor(Date.UTC(year, month - 1, 1) / MS_PER_DAY);
  const end = Math.floor(Date.UTC(year, month, 1) / MS_PER_DAY) - 1;
  return { from: start, to: end };
}

export function yearSpan(year: number): DaySpan {
  return { from: monthSpan(year, 1).from, to: monthSpan(year, 12).to };
}

/** Monday to Sunday around a day. */
export function weekSpan(day: number): DaySpan {
  const monday = day - ((calendarOf(day).weekday + 6) % 7);
  return { from: monday, to: monday + 6 };
}
