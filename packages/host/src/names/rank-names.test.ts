import * as fuzzysort from "fuzzysort";
import { expect, test } from "vitest";
import { best, rankAll, testNameRanking } from "./testing/name-ranking-properties.ts";
import { createNameRanking } from "./rank-names.ts";

testNameRanking(1);

test("most of many names are not looked at", () => {
  const names = Array.from(
    { length: 20_000 },
    (_, at) => `src/module-${at % 97}/w${"x".repeat(at % 40)}/file-${at}.ts`,
  );
  let looked = 0;
  const counting = {
    ...fuzzysort,
    go: ((query: string, targets: readonly fuzzysort.Prepared[], options: fuzzysort.Options) => {
      looked += targets.length;
      return fuzzysort.go(query, targets, options);
    }) as typeof fuzzysort.go,
  };
  const ranking = createNameRanking(counting);
  for (const one of names) ranking.add(one);
  for (const query of ["s", "sr", "src", "srcm", "srcmo", "srcmod"]) {
    looked = 0;
    expect(best(ranking, query)).toEqual(rankAll(names, query));
    expect(looked).toBeLessThan(names.length / 4);
  }
  best(ranking, "srcmodm");
  looked = 0;
  expect(best(ranking, "srcmodma")).toEqual([]);
  expect(looked).toBe(0);
});
