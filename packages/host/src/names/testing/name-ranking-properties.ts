import fc from "fast-check";
import * as fuzzysort from "fuzzysort";
import { expect, test } from "vitest";
import { boundsOf, createNameRanking, type NameRanking } from "../rank-names.ts";

const LIMIT = 8;

/** Every name scored and sorted. */
export function rankAll(names: readonly string[], query: string): string[] {
  return names
    .map((name, order) => ({ name, order, score: fuzzysort.single(query, name)?.score }))
    .filter(({ score }) => score !== undefined)
    .toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0) || a.name.length - b.name.length || a.order - b.order)
    .slice(0, LIMIT)
    .map(({ name }) => name);
}

function rankOf(names: readonly string[]): NameRanking {
  const ranking = createNameRanking(fuzzysort);
  for (const name of names) ranking.add(name);
  return ranking;
}

export function best(ranking: NameRanking, query: string): readonly string[] {
  const work = ranking.rank(query, LIMIT);
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

const WORDS = [
  "src",
  "main",
  "Main",
  "test",
  "a",
  "ab",
  "abc",
  "b",
  "index",
  "x",
  "readMe",
  "12",
  "é",
  "Ünï",
  "İ",
  '"q"',
  "_",
];
const word = fc.constantFrom(...WORDS);
const mark = fc.constantFrom("/", "/", "-", ".", "", " ", "_", "\\", "\n");
const name = fc
  .array(fc.tuple(word, mark), { minLength: 1, maxLength: 12 })
  .map((parts) => parts.flat().join(""))
  .filter((text) => text.trim() !== "");
const manyNames = fc.uniqueArray(name, { minLength: 1, maxLength: 400, size: "max" });
const typed = fc
  .oneof(
    fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join("")),
    fc.array(fc.tuple(word, mark), { minLength: 1, maxLength: 3 }).map((parts) => parts.flat().join("")),
    fc.string({ minLength: 1, maxLength: 25 }),
  )
  .filter((text) => text.trim() !== "");

/** What holds of a ranking whatever the names are. Tried so many times as often as is needed to notice an ordinary mistake. */
export function testNameRanking(times: number): void {
  test("the best names are those of a full ranking, letter by letter, forwards and back", () => {
    fc.assert(
      fc.property(manyNames, typed, (names, query) => {
        const ranking = rankOf(names);
        const prefixes = Array.from({ length: query.length }, (_, at) => query.slice(0, at + 1)).filter(
          (one) => one.trim() !== "",
        );
        for (const one of [...prefixes, ...prefixes.toReversed()])
          expect(best(ranking, one), JSON.stringify(one)).toEqual(rankAll(names, one));
      }),
      { numRuns: 40 * times },
    );
  }, 120_000);

  test("names that came since the last letter are found too", () => {
    fc.assert(
      fc.property(manyNames, manyNames, typed, (first, second, query) => {
        const ranking = rankOf(first);
        best(ranking, query.trim().slice(0, 1));
        best(ranking, query);
        const rest = second.filter((one) => !first.includes(one));
        for (const one of rest) ranking.add(one);
        expect(best(ranking, query)).toEqual(rankAll([...first, ...rest], query));
      }),
      { numRuns: 30 * times },
    );
  }, 120_000);

  test("no name has more than the best of its length, with the query in it or not", () => {
    const letter = fc.constantFrom("a", "a", "b", "b", "c", "A", "B", "/", "-", "1");
    const query = fc.string({ unit: letter, minLength: 1, maxLength: 4 });
    // The letters of the query with a little between them, as the best names have it.
    const near = fc.array(fc.string({ unit: letter, maxLength: 2 }), { minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(query, near, (wanted, gaps) => {
        const asked = wanted.toLowerCase();
        const name =
          wanted
            .split("")
            .map((one, at) => `${gaps[at]}${one}`)
            .join("") + gaps[4];
        const bounds = boundsOf(asked, fuzzysort);
        const score = fuzzysort.single(asked, name)?.score ?? 0;
        expect(score).toBeLessThanOrEqual(bounds?.whole(name.length) ?? 1);
        if (!name.toLowerCase().includes(asked)) expect(score).toBeLessThanOrEqual(bounds?.split(name.length) ?? 1);
      }),
      { numRuns: 4_000 * times },
    );
  }, 120_000);
}
