import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { testDataBlock } from "../data-block-suite.ts";
import { testDataStream } from "../data-stream-suite.ts";
import { createMemoryStore, memorySource } from "../memory-source.ts";
import { memoryStream } from "../memory-stream.ts";
import { mutate } from "./block-mutants.ts";
import { ISSUES, issuePath } from "./shaped-mutants.ts";
import { HONEST_HASH } from "./version-mutants.ts";
import {
  blockCases,
  type Cases,
  feeding,
  PLAIN_SEED,
  putIntoStore,
  readOnly,
  sharedFileCases,
  streamCases,
  WRONG_SOURCES,
  type WrongSource,
} from "./wrong-sources.ts";

/** Long enough for an honest source on a busy machine, short enough for one that hangs. */
const MUTANT_TIMEOUT_MS = 1_500;
const TABLE = new URL("killed-by.json", import.meta.url);

/** Group to wrong source to the cases that fail for it, the one that is about it first. */
type KilledBy = Record<string, Record<string, string[]>>;

async function failuresOf(cases: Cases): Promise<string[]> {
  const outcomes = [...cases].map(([id, body]) =>
    body().then(
      () => [],
      () => [id],
    ),
  );
  return (await Promise.all(outcomes)).flat();
}

describe("the reference sources keep every promise", () => {
  const options = () => ({ store: createMemoryStore() });
  testDataBlock({ test, source: memorySource, options, put: putIntoStore });
  testDataStream({ test, source: memoryStream, ...feeding });
});

describe("a source whose versions are hashes keeps every promise", () => {
  testDataBlock({ test, source: mutate(HONEST_HASH), options: () => ({ store: createMemoryStore() }) });
});

describe("a source that takes only numbered paths keeps every promise", () => {
  const source = { ...mutate(ISSUES), paths: issuePath };
  testDataBlock({ test, source, options: () => ({ store: createMemoryStore() }), put: putIntoStore });
});

describe("a source that cannot write is proven by its seed", () => {
  testDataBlock({
    test,
    source: readOnly(),
    options: () => ({ store: createMemoryStore(PLAIN_SEED) }),
    seed: PLAIN_SEED,
  });
});

describe("a source that cannot write is proven by what is put before it", () => {
  testDataBlock({ test, source: readOnly(), options: () => ({ store: createMemoryStore() }), put: putIntoStore });
});

describe("a source that two processes share keeps every promise", () => {
  test.each([...sharedFileCases(undefined)])("%s", (_, body) => body());
});

test("a source that can write may have a seed as well, apart from the paths of the cases", async () => {
  expect(await failuresOf(blockCases(memorySource, { seed: { "seed/a.md": "a", "seed/b.md": "b" } }))).toEqual([]);
  expect(() => blockCases(memorySource, { seed: { "a.md": "a" } })).toThrow('begin with "seed/"');
});

const table = JSON.parse(readFileSync(TABLE, "utf8")) as KilledBy;

if (process.env["UPDATE_KILLED_BY"] !== undefined) {
  test("write the table of wrong sources", { timeout: 1_800_000 }, async () => {
    const made = await makeTable();
    writeFileSync(TABLE, `${JSON.stringify(made, null, 2)}\n`);
    expect(JSON.parse(readFileSync(TABLE, "utf8"))).toEqual(made);
  });
} else {
  // Most of them are waited for until they have hung long enough, which they can do side by side.
  test.concurrent.each([...WRONG_SOURCES])("$group: the suite notices that $name", async ({ group, name, cases }) => {
    const killers = table[group]?.[name] ?? [];
    expect(killers).not.toEqual([]);
    const all = cases(MUTANT_TIMEOUT_MS);
    const chosen = new Map(killers.map((id) => [id, all.get(id) ?? (() => Promise.resolve())]));
    expect(await failuresOf(chosen)).toEqual(killers);
  });

  test("the table names every wrong source and no other", () => {
    const named = Object.entries(table).flatMap(([group, sources]) =>
      Object.keys(sources).map((name) => `${group}: ${name}`),
    );
    expect(named.toSorted()).toEqual(WRONG_SOURCES.map(({ group, name }) => `${group}: ${name}`).toSorted());
    expect(named.length).toBeGreaterThanOrEqual(104);
  });

  test("no case is blunt: each fails for some wrong source", () => {
    const killing = new Set(Object.values(table).flatMap((sources) => Object.values(sources).flat()));
    expect(allCases().filter((id) => !killing.has(id))).toEqual([]);
  });
}

function allCases(): string[] {
  return [
    ...new Set([
      ...blockCases(memorySource, { seed: { "seed/a.md": "a" } }).keys(),
      ...blockCases(memorySource, { put: putIntoStore }).keys(),
      ...blockCases(memorySource, { paths: issuePath }).keys(),
      ...sharedFileCases(undefined).keys(),
      ...streamCases(memoryStream).keys(),
    ]),
  ];
}

/** Runs every case on every wrong source. For each, keeps the failing case that the fewest others fail. */
async function makeTable(): Promise<KilledBy> {
  const failures = new Map<WrongSource, string[]>();
  for (const wrong of WRONG_SOURCES) {
    const cases = [...wrong.cases(MUTANT_TIMEOUT_MS)];
    const relevant = wrong.group.includes("processes") ? cases.filter(([id]) => id.includes("/process/")) : cases;
    const outcomes = await Promise.all(
      relevant.map(([id, body]) =>
        body().then(
          () => [],
          () => [id],
        ),
      ),
    );
    failures.set(wrong, outcomes.flat());
  }
  const weight = new Map<string, number>();
  for (const id of [...failures.values()].flat()) weight.set(id, (weight.get(id) ?? 0) + 1);
  const bySharpness = (a: string, b: string): number => (weight.get(a) ?? 0) - (weight.get(b) ?? 0);
  const made: KilledBy = {};
  for (const [{ group, name }, failed] of failures) {
    (made[group] ??= {})[name] = failed.toSorted(bySharpness).slice(0, 1);
  }
  for (const id of allCases()) {
    if (Object.values(made).some((sources) => Object.values(sources).some((ids) => ids.includes(id)))) continue;
    const [wrong] =
      [...failures].filter(([, failed]) => failed.includes(id)).toSorted((a, b) => a[1].length - b[1].length)[0] ?? [];
    if (wrong !== undefined) made[wrong.group]?.[wrong.name]?.push(id);
  }
  return made;
}
