import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dateMatch } from "./date-match.ts";
import { calendarOf, dayOf, dayOfCalendar } from "./day.ts";
import { findDates } from "./find-dates.ts";

/** A Saturday. */
const now = new Date("2024-06-15T12:00:00Z");

const iso = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10);
const spans = (text: string, yearless: "any" | "nearest" = "any"): string[] =>
  findDates(text, { now, yearless }).spans.map(({ from, to }) =>
    from === to ? iso(from) : `${iso(from)}..${iso(to)}`,
  );

describe("findDates", () => {
  test.each([
    ["on 7 March 2023", ["2023-03-07"]],
    ["on the 7th of March, 2023", ["2023-03-07"]],
    ["March 7, 2023 and 2023-03-08", ["2023-03-07", "2023-03-08"]],
    ["in March 2023", ["2023-03-01..2023-03-31"]],
    ["2023-02", ["2023-02-01..2023-02-28"]],
    ["in 2022", ["2022-01-01..2022-12-31"]],
    ["summer 2022, winter of 2021", ["2022-06-01..2022-08-31", "2021-12-01..2022-02-28"]],
    ["yesterday, today, tomorrow, tonight", ["2024-06-14", "2024-06-15", "2024-06-16", "2024-06-15"]],
    ["the day before yesterday", ["2024-06-13"]],
    ["last night", ["2024-06-14"]],
    ["last week", ["2024-06-03..2024-06-09"]],
    ["this week and next week", ["2024-06-10..2024-06-16", "2024-06-17..2024-06-23"]],
    ["last weekend", ["2024-06-08..2024-06-09"]],
    ["last month", ["2024-05-01..2024-05-31"]],
    ["next year", ["2025-01-01..2025-12-31"]],
    ["last May", ["2024-05-01..2024-05-31"]],
    ["last July", ["2023-07-01..2023-07-31"]],
    ["next May", ["2025-05-01..2025-05-31"]],
    ["this July", ["2024-07-01..2024-07-31"]],
    ["last summer", ["2023-06-01..2023-08-31"]],
    ["next summer", ["2024-06-01..2024-08-31"]],
    ["two weeks ago", ["2024-05-29..2024-06-04"]],
    ["3 days ago", ["2024-06-12"]],
    ["a couple of days ago", ["2024-06-13"]],
    ["a few months ago", ["2024-03-01..2024-03-31"]],
    ["two years ago", ["2022-01-01..2022-12-31"]],
    ["in two days", ["2024-06-17"]],
    ["on Friday", ["2024-06-14"]],
    ["last Saturday", ["2024-06-08"]],
    ["next Saturday", ["2024-06-22"]],
    ["you may march on", []],
    ["31 February 2023", ["2023-02-01..2023-02-28"]],
    ["2023-13-01 or 1850-01-01 or 2023-02-30", []],
    ["room 2023 and 7 apples", []],
    ["last", []],
    ["a few ideas ago", []],
  ])("%s", (text, expected) => {
    expect(spans(text)).toEqual(expected);
  });

  test("a date without a year is of any year, or of the nearest", () => {
    expect(findDates("in May", { now }).yearly).toEqual([{ month: 5 }]);
    expect(findDates("on 24 December", { now }).yearly).toEqual([{ month: 12, day: 24 }]);
    expect(spans("on 24 December", "nearest")).toEqual(["2023-12-24"]);
    expect(spans("in July", "nearest")).toEqual(["2024-07-01..2024-07-31"]);
    expect(spans("29 February", "nearest")).toEqual(["2024-02-29"]);
  });

  test("at most eight dates and 4,000 words are read", () => {
    expect(spans("yesterday ".repeat(20))).toHaveLength(8);
    expect(spans(`${"word ".repeat(4_000)} yesterday`)).toEqual([]);
  });

  test("any text gives spans that begin before they end", () => {
    const words = fc.constantFrom(
      ..."last next in on 7 31 7th march may 2023 2023-03-07 two weeks ago a few of day before yesterday summer friday year".split(
        " ",
      ),
    );
    const phrase = fc.array(words, { maxLength: 12 }).map((all) => all.join(" "));
    const moment = fc.date({ min: new Date("1905-01-01"), max: new Date("2095-01-01"), noInvalidDate: true });
    fc.assert(
      fc.property(fc.oneof(phrase, fc.string()), moment, (text, at) => {
        for (const { from, to } of findDates(text, { now: at, yearless: "nearest" }).spans) {
          expect(Number.isInteger(from) && Number.isInteger(to) && from <= to).toBe(true);
        }
      }),
    );
  });

  test("every day of the calendar is read back from how it is written", () => {
    const months = "January February March April May June July August September October November December".split(" ");
    const days = fc.integer({ min: dayOf(new Date("1900-01-01")), max: dayOf(new Date("2100-12-31")) });
    fc.assert(
      fc.property(days, (day) => {
        const { year, month, day: date } = calendarOf(day);
        expect(dayOfCalendar(year, month, date)).toBe(day);
        for (const text of [
          `${date} ${months[month - 1]} ${year}`,
          `${months[month - 1]} ${date}, ${year}`,
          iso(day),
        ]) {
          expect(spans(text)).toEqual([iso(day)]);
        }
      }),
    );
  });
});

describe("dateMatch", () => {
  const day = (text: string): number => dayOf(new Date(text));
  const asked = findDates("on 7 March 2023", { now });

  test("the very day counts most, the same fortnight less, the next month little, another year nothing", () => {
    const matches = ["2023-03-07", "2023-03-15", "2023-04-01", "2022-03-07"].map((at) => dateMatch(asked, day(at), []));
    expect(matches).toEqual([1.5, 1, 0.3, 0]);
  });

  test("a precise mention counts more than a vague one", () => {
    const precise = dateMatch(asked, undefined, [{ from: day("2023-03-07"), to: day("2023-03-07") }]);
    const vague = dateMatch(asked, undefined, [{ from: day("2023-01-01"), to: day("2023-12-31") }]);
    expect(precise).toBe(1.5);
    expect(vague).toBeLessThan(0.1);
    expect(vague).toBeGreaterThan(0);
  });

  test("a date without a year matches every year", () => {
    const may = findDates("on 7 May", { now });
    expect(dateMatch(may, day("2019-05-07"), [])).toBe(1.5);
    expect(dateMatch(may, day("2019-05-20"), [])).toBe(1);
    expect(dateMatch(may, day("2019-06-07"), [])).toBe(0.3);
    expect(dateMatch(may, day("2019-10-07"), [])).toBe(0);
    expect(dateMatch(may, undefined, [{ from: day("2020-05-07"), to: day("2020-05-07") }])).toBe(1.5);
    expect(dateMatch(may, undefined, [{ from: day("2020-01-01"), to: day("2020-12-31") }])).toBe(0);
  });
});
