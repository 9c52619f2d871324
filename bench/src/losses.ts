import { groupBy } from "./group-by.ts";
import type { Line } from "./line.ts";

/** A kind of work that a peer did for less, at whichever sizes. */
export interface Loss {
  /** Where it is worst. */
  readonly line: Line;
  readonly peer: Line;
  readonly ratio: number;
  /** The ratio where it is best; the same where there is one size only. */
  readonly least: number;
}

/** Contract: each kind of work, side and peer once, worst first; those whose ratio is above one at some size. */
export function lossesOf(lines: readonly Line[]): Loss[] {
  const compared = lines.flatMap((line) =>
    (line.peers ?? []).flatMap(({ name, ratio }) => {
      const peer = lines.find(({ bench, work, side }) => bench === line.bench && work === line.work && side === name);
      return peer === undefined ? [] : [{ line, peer, ratio }];
    }),
  );
  const kinds = groupBy(compared, ({ line, peer }) =>
    [line.bench, line.growth?.curve ?? line.work, line.side, peer.side].join("\n"),
  );
  return [...kinds.values()]
    .flatMap((found) => {
      const [worst, ...others] = found.toSorted((a, b) => b.ratio - a.ratio);
      return worst === undefined || worst.ratio <= 1 ? [] : [{ ...worst, least: others.at(-1)?.ratio ?? worst.ratio }];
    })
    .toSorted((a, b) => b.ratio - a.ratio);
}
