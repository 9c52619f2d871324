import type { Line } from "./line.ts";

/** A ratio that was bad, and what was done about it. */
export interface WorkedOn {
  readonly bench: string;
  readonly work: string;
  /** The peer or the floor. */
  readonly against: string;
  /** Our p50 divided by theirs, in a run of the version before. */
  readonly before: number;
  readonly done: string;
}

/** The worst ratios when we first looked, and what made them better. The figures after are those of the present run. */
export const WORKED_ON: readonly WorkedOn[] = [
  {
    bench: "files",
    work: "load, edit and save 100 files of 1 kB",
    against: "readFile, replace, writeFile",
    before: 22,
    done: "system calls that do not wait are made at once instead of in another thread",
  },
  {
    bench: "files",
    work: "write 1 MB, over stdio",
    against: "server-filesystem",
    before: 19.9,
    done: "the journal keeps the passage that differs, uncompressed; audit rows keep the beginning of a long text",
  },
  {
    bench: "files",
    work: "edit 1 MB, over stdio",
    against: "server-filesystem",
    before: 9.2,
    done: "the same, and large texts are serialised fewer times",
  },
];

/** Contract: absent when the run did not measure it. */
export function ratioNow(lines: readonly Line[], { bench, work, against }: WorkedOn): number | undefined {
  const found = lines.find((line) => line.bench === bench && line.work === work && line.role === "ours");
  return [...(found?.peers ?? []), ...(found?.floor === undefined ? [] : [found.floor])].find(
    ({ name }) => name === against,
  )?.ratio;
}
