import { createWriter } from "./data.ts";
import { compare, counted, type Line } from "./line.ts";
import { openPeers } from "./peers.ts";

interface NameFinder {
  find(query: string, limit: number): Promise<readonly string[] | undefined>;
  readonly ready: Promise<void>;
}
interface FinderModule {
  createNameFinder(names: () => AsyncIterable<string>): NameFinder;
}

const SHOWN = 8;
const RANKED_MOST = 30_000;
/** A path is meant by a few letters of each of its parts; some names match to the last of them. */
const WORD = "srcmodfile9ts";

/** What a keystroke in the finder of the conversation costs, and how long it keeps the terminal waiting. */
export async function benchFinder(quick: boolean): Promise<Line[]> {
  const lines: Line[] = [];
  for (const size of [1_000, 10_000, 30_000, 100_000]) lines.push(...(await keystroke(size, quick)));
  return lines;
}

async function keystroke(size: number, quick: boolean): Promise<Line[]> {
  const location = new URL("../../packages/host/dist/names/find-names.js", import.meta.url).href;
  const { createNameFinder } = (await import(location)) as FinderModule;
  const names = pathsOf(size);
  const finder = createNameFinder(async function* () {
    yield* names;
  });
  await finder.ready;
  const peers = await openPeers();
  const { default: UFuzzy } = await peers.load<{ default: new (options: object) => UFuzzySearch }>("@leeoniya/ufuzzy");
  // Any characters may stand between two letters, as in ours.
  const ufuzzy = new UFuzzy({ intraMode: 0, intraIns: Number.POSITIVE_INFINITY, intraChars: "." });
  await assertSameWork(names, finder, ufuzzy);
  const work = `finder, a word of ${WORD.length} letters typed at ${size.toLocaleString("en")} files`;
  const measured = await compare(
    "agent",
    work,
    [
      {
        name: "uFuzzy",
        role: "peer",
        guarantee: "blocks until it is done; more than 1,000 matches are not ranked",
        run: () => typeWord((query) => ufuzzy.search(names, query)),
      },
      // It takes seconds for each word beyond that.
      ...(size > RANKED_MOST
        ? []
        : [
            {
              name: "uFuzzy, all ranked",
              role: "peer" as const,
              guarantee: "blocks until it is done",
              run: () => typeWord((query) => ufuzzy.search(names, query, 0, Number.POSITIVE_INFINITY)),
            },
          ]),
      {
        name: "ikigai",
        guarantee: "all ranked; pauses every 8 ms, so that keys are seen",
        run: () => typeWord((query) => finder.find(query, SHOWN)),
      },
    ],
    { rounds: quick ? 3 : 30, growth: { curve: "finder by files", size } },
  );
  return [
    ...measured,
    counted(
      "agent",
      `longest wait for a key while finding in ${size.toLocaleString("en")} files`,
      "µs",
      { name: "ikigai", guarantee: "keys are seen every 8 ms", rss: measured.at(-1)?.rss },
      await longestWait(finder),
    ),
  ];
}

interface UFuzzySearch {
  search(names: readonly string[], query: string, outOfOrder?: number, rankedUpTo?: number): unknown;
}

/** The longest time in which nothing else could run while every prefix of a word was searched. */
async function longestWait(finder: NameFinder): Promise<number> {
  let longest = 0;
  let last = performance.now();
  let watching = true;
  const watch = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (watching) setImmediate(watch);
  };
  setImmediate(watch);
  for (let length = 1; length <= WORD.length; length++) await finder.find(WORD.slice(0, length), SHOWN);
  // A search that never let go is seen only by a look after it.
  await new Promise((resolve) => setImmediate(resolve));
  watching = false;
  return longest * 1_000;
}

/** The word letter by letter: what a person waits for in all. */
async function typeWord(search: (query: string) => unknown): Promise<void> {
  for (let length = 1; length <= WORD.length; length++) await search(WORD.slice(0, length));
}

/** Contract: throws when one of them finds nothing at some letter, which would make it cheap. */
async function assertSameWork(names: readonly string[], finder: NameFinder, ufuzzy: UFuzzySearch): Promise<void> {
  await typeWord(async (query) => {
    const ours = (await finder.find(query, SHOWN))?.length ?? 0;
    const [theirs] = ufuzzy.search(names, query) as [readonly number[] | null];
    if (ours === 0 || (theirs?.length ?? 0) === 0) throw new Error(`"${query}" finds ${ours} and ${theirs?.length}`);
  });
}

function pathsOf(count: number): string[] {
  const write = createWriter(7);
  return Array.from(
    { length: count },
    (_, index) => `src/module-${index % 97}/${write(2).replaceAll(/\W+/g, "-")}/file-${index}.ts`,
  );
}
