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
const WORD = "srcmodmain";

/** What a keystroke in the finder of the conversation costs, and how long it keeps the terminal waiting. */
export async function benchFinder(quick: boolean): Promise<Line[]> {
  const lines: Line[] = [];
  for (const size of [1_000, 10_000, 30_000, 100_000]) lines.push(...(await keystroke(size, quick)));
  return lines;
}

async function keystroke(size: number, quick: boolean): Promise<Line[]> {
  const location = new URL("../../apps/cli/dist/chat/screen/find-names.js", import.meta.url).href;
  const { createNameFinder } = (await import(location)) as FinderModule;
  const names = pathsOf(size);
  const finder = createNameFinder(async function* () {
    yield* names;
  });
  await finder.ready;
  const peers = await openPeers();
  const { default: UFuzzy } = await peers.load<{ default: new (options: object) => UFuzzySearch }>("@leeoniya/ufuzzy");
  const ufuzzy = new UFuzzy({ intraMode: 0, intraIns: Number.POSITIVE_INFINITY });
  const typed = typing();
  const theirs = typing();
  const ranked = typing();
  const work = `finder keystroke at ${size.toLocaleString("en")} files`;
  const measured = await compare(
    "agent",
    work,
    [
      {
        name: "uFuzzy",
        role: "peer",
        guarantee: "blocks until it is done; more than 1,000 matches are not ranked",
        run: () => ufuzzy.search(names, theirs()),
      },
      {
        name: "uFuzzy, all ranked",
        role: "peer",
        guarantee: "blocks until it is done",
        run: () => ufuzzy.search(names, ranked(), 0, Number.POSITIVE_INFINITY),
      },
      {
        name: "ikigai",
        guarantee: "all ranked; pauses every 8 ms, so that keys are seen",
        run: () => finder.find(typed(), SHOWN),
      },
    ],
    { rounds: quick ? 20 : 100, growth: { curve: "finder keystroke by files", size } },
  );
  return [
    ...measured,
    counted(
      "agent",
      `longest wait for a key while finding in ${size.toLocaleString("en")} files`,
      "µs",
      { name: "ikigai", rss: measured.at(-1)?.rss },
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

/** The word letter by letter, again and again. */
function typing(): () => string {
  let at = 0;
  return () => WORD.slice(0, (at++ % WORD.length) + 1);
}

function pathsOf(count: number): string[] {
  const write = createWriter(7);
  return Array.from(
    { length: count },
    (_, index) => `src/module-${index % 97}/${write(2).replaceAll(/\W+/g, "-")}/file-${index}.ts`,
  );
}
