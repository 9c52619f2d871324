export const MONTHS: ReadonlyMap<string, number> = numbered(
  "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sep|sept october|oct november|nov december|dec",
  1,
);
export const WEEKDAYS: ReadonlyMap<string, number> = numbered(
  "sunday monday tuesday wednesday thursday friday saturday",
  0,
);
/** First month of each season, in the north. */
export const SEASONS: ReadonlyMap<string, number> = new Map([
  ["spring", 3],
  ["summer", 6],
  ["autumn", 9],
  ["fall", 9],
  ["winter", 12],
]);
const SMALL: ReadonlyMap<string, number> = numbered(
  "one|a|an two|couple three|few four five six seven eight nine ten eleven twelve",
  1,
);
const MAX_COUNT = 10_000;

/** `two`, `a`, `14`: how many. */
export function countOf(word: string | undefined): number | undefined {
  if (word === undefined) return undefined;
  if (/^\d{1,5}$/.test(word)) return Math.min(Number(word), MAX_COUNT);
  return SMALL.get(word);
}

/** `7`, `7th`: a day of a month. */
export function dayNumber(word: string | undefined): number | undefined {
  const match = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(word ?? "");
  if (match === null) return undefined;
  const day = Number(match[1]);
  return day >= 1 && day <= 31 ? day : undefined;
}

/** A year between 1900 and 2100. */
export function yearNumber(word: string | undefined): number | undefined {
  return /^(?:19\d\d|20\d\d|2100)$/.test(word ?? "") ? Number(word) : undefined;
}

function numbered(words: string, first: number): ReadonlyMap<string, number> {
  return new Map(words.split(" ").flatMap((names, i) => names.split("|").map((name) => [name, i + first] as const)));
}
