import type { Line } from "./line.ts";

/** A ratio that was bad, and what was done about it. */
export interface WorkedOn {
  readonly bench: string;
  readonly work: string;
  /** Ours. */
  readonly side: string;
  /** The peer or the floor. */
  readonly against: string;
  /** Our p50 divided by theirs when this was first measured. */
  readonly first?: number;
  /** The same, measured on this machine, when it was quiet, just before the last work. */
  readonly before: number;
  readonly done: string;
}

const INSERT =
  "an insert is one function of the database, planned once per connection, instead of three statements planned each time";
const SEARCH = "a search's statements are functions of the database that are planned once per connection";
const ONE_COMMIT =
  "audit row and announcement are one commit, the end of a change is not waited for, texts are read once less";
const LARGE =
  "the journal keeps the passage that differs, uncompressed; audit rows keep the beginning of a long text; texts are compared in pieces and serialised less";
const ROUND_TRIPS =
  "a transaction waits for four answers instead of eleven; statements are planned once per connection, in the keeper too";

/** The worst ratios to peers, and what made them better. The figures after are those of the present run. */
export const WORKED_ON: readonly WorkedOn[] = [
  {
    bench: "recall",
    work: "insert at 1,000 entries",
    side: "recall, embedded",
    against: "minisearch",
    before: 72.2,
    done: INSERT,
  },
  {
    bench: "recall",
    work: "insert at 1,000 entries",
    side: "recall, server",
    against: "minisearch",
    before: 40.2,
    done: INSERT,
  },
  {
    bench: "recall",
    work: "search at 1,000 entries",
    side: "recall, embedded",
    against: "minisearch",
    before: 19.5,
    done: SEARCH,
  },
  {
    bench: "files",
    work: "write 1 kB, over stdio",
    side: "ikigai mcp",
    against: "server-filesystem",
    first: 9.0,
    before: 6.12,
    done: ONE_COMMIT,
  },
  {
    bench: "files",
    work: "edit 1 kB, over stdio",
    side: "ikigai mcp",
    against: "server-filesystem",
    first: 6.1,
    before: 4.94,
    done: ONE_COMMIT,
  },
  {
    bench: "files",
    work: "write 1 MB, over stdio",
    side: "ikigai mcp",
    against: "server-filesystem",
    first: 19.9,
    before: 3.73,
    done: LARGE,
  },
  {
    bench: "files",
    work: "edit 1 MB, over stdio",
    side: "ikigai mcp",
    against: "server-filesystem",
    first: 9.2,
    before: 2.8,
    done: LARGE,
  },
  {
    bench: "files",
    work: "save 1 MB, in process",
    side: "file_write",
    against: "write-file-atomic 7.0.1",
    before: 3.54,
    done: "the version of a text is computed once in a save",
  },
  {
    bench: "store",
    work: "write one over stdio, at 100 entries",
    side: "ikigai mcp",
    against: "server-memory",
    before: 5.44,
    done: ROUND_TRIPS,
  },
  {
    bench: "mcp",
    work: "start to the first tools/list",
    side: "ikigai mcp",
    against: "server-memory",
    before: 2.73,
    done: "what the first answer does not need is loaded by its first use",
  },
  {
    bench: "mcp",
    work: "search memories at 100 entries, over stdio",
    side: "ikigai mcp",
    against: "server-memory",
    before: 6.6,
    done: SEARCH,
  },
];

/** Contract: absent when the run did not measure it. */
export function ratioNow(lines: readonly Line[], { bench, work, side, against }: WorkedOn): number | undefined {
  const found = lines.find((line) => line.bench === bench && line.work === work && line.side === side);
  return [...(found?.peers ?? []), ...(found?.floor === undefined ? [] : [found.floor])].find(
    ({ name }) => name === against,
  )?.ratio;
}
