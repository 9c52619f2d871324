import { forgetPeak, peakMemory } from "./peak-memory.ts";
import { stopped } from "./stop.ts";

/** What a measured side is to the comparison: what we made, somebody else's, or the least the work can cost. */
export type Role = "ours" | "peer" | "floor";

/** One side's figure against another's of the same run: 2 is twice as much. */
export interface Ratio {
  readonly name: string;
  readonly ratio: number;
}

/** One measured line of the table. */
export interface Line {
  readonly bench: string;
  readonly work: string;
  readonly side: string;
  readonly role: Role;
  /** What is counted. Times are in microseconds. */
  readonly unit: "µs" | "MB" | "lost";
  readonly p50: number;
  readonly p99: number;
  readonly rounds: number;
  /** What this side promises: durable, atomic, checked. */
  readonly guarantee?: string;
  /** Against each peer of the same work, the worst first. Ours only. */
  readonly peers?: readonly Ratio[];
  /** Against the floor of the same work. Ours only. */
  readonly floor?: Ratio;
  /** Peak resident memory in MB of the processes that did the work, during it. */
  readonly rss?: number;
  /** Whether the work was done in the benchmark's own process, whose memory all sides share. */
  readonly isShared?: boolean;
  /** The curve this line is a point of, and how much data there was. */
  readonly growth?: Growth;
}

export interface Growth {
  readonly curve: string;
  readonly size: number;
}

export interface Side {
  readonly name: string;
  /** Default `ours`. */
  readonly role?: Role;
  readonly guarantee: string;
  /** What is measured. Contract: gives {@link TakenElsewhere} where another process took the time. */
  run(): Promise<unknown> | unknown;
  /** Done before each round and not measured. */
  before?(): Promise<unknown> | unknown;
  /** The processes that do the work, where it is not this one. */
  pids?(): Promise<readonly number[]>;
  /** Peak memory in MB where the processes do not outlive a round. */
  rss?(): Promise<number | undefined> | number | undefined;
}

/** The time of a run as the process that did the work saw it, in microseconds. */
export interface TakenElsewhere {
  readonly [TAKEN]: number;
}

const TAKEN: unique symbol = Symbol("taken");

export function takenElsewhere(microseconds: number): TakenElsewhere {
  return { [TAKEN]: microseconds };
}

export interface CompareOptions {
  /** At most so many. */
  readonly rounds: number;
  /** No round begins after so many milliseconds of measuring, once there are five. Default 15,000. */
  readonly withinMs?: number;
  readonly growth?: Growth;
  /** How often each side runs first without being measured. Default: a tenth of the rounds. */
  readonly warmUp?: number;
}

const FEWEST = 5;
const WITHIN_MS = 15_000;

/** Measures sides in turn, round by round, each round beginning with another, so that noise hits all of them. */
export async function compare(
  bench: string,
  work: string,
  sides: readonly Side[],
  { rounds, growth, withinMs = WITHIN_MS, warmUp = Math.ceil(rounds / 10) }: CompareOptions,
): Promise<Line[]> {
  process.stderr.write(`bench: ${bench}: ${work}\n`);
  const times = sides.map((): number[] => []);
  forgetPeak(process.pid);
  for (const side of sides) forgetPeak(...((await side.pids?.()) ?? []));
  let begun = performance.now();
  const isOver = (share: number): boolean => performance.now() - begun > withinMs * share;
  for (let round = -warmUp; round < rounds; round++) {
    // Warming up takes no more than a fifth of the time, and none of the time for measuring.
    if (round < 0 && isOver(0.2)) round = 0;
    if (round === 0) begun = performance.now();
    if (round >= FEWEST && isOver(1)) break;
    for (let place = 0; place < sides.length; place++) {
      const index = (place + Math.max(0, round)) % sides.length;
      const side = sides[index] as Side;
      stopped.throwIfAborted();
      await side.before?.();
      const started = performance.now();
      const given = await side.run();
      if (round >= 0) times[index]?.push(elsewhere(given) ?? (performance.now() - started) * 1_000);
    }
  }
  const lines: Line[] = [];
  const own = peakMemory(process.pid);
  for (const [index, side] of sides.entries()) {
    const { name, role = "ours", guarantee } = side;
    const measured = times[index] ?? [];
    const pids = await side.pids?.();
    const isAlone = pids === undefined && side.rss === undefined;
    const isShared = isAlone || pids?.includes(process.pid) === true;
    const peak = isAlone ? own : pids === undefined ? await side.rss?.() : peakMemory(...pids);
    lines.push({
      bench,
      work,
      side: name,
      role,
      unit: "µs",
      p50: percentile(measured, 0.5),
      p99: percentile(measured, 0.99),
      rounds: measured.length,
      guarantee,
      ...(peak !== undefined && { rss: peak, isShared }),
      ...(growth !== undefined && { growth }),
    });
  }
  return withRatios(lines);
}

function elsewhere(given: unknown): number | undefined {
  return typeof given === "object" && given !== null && TAKEN in given ? (given as TakenElsewhere)[TAKEN] : undefined;
}

/** A line for something that is counted once, not timed. */
export function counted(
  bench: string,
  work: string,
  unit: Line["unit"],
  side: {
    readonly name: string;
    readonly guarantee: string;
    readonly role?: Role;
    readonly rss?: number | undefined;
  },
  value: number,
): Line {
  const { name, role = "ours", guarantee, rss } = side;
  return {
    bench,
    work,
    side: name,
    role,
    unit,
    p50: value,
    p99: value,
    rounds: 1,
    guarantee,
    ...(rss !== undefined && { rss }),
  };
}

/** Sets our lines against the peers and the floor among lines of the same work. */
export function withRatios(lines: readonly Line[]): Line[] {
  return lines.map((line) => {
    if (line.role !== "ours") return line;
    const ratios = (role: Role): Ratio[] =>
      lines
        .filter((other) => other.role === role && other.work === line.work && other.unit === line.unit)
        .map((other) => ({ name: other.side, ratio: line.p50 === other.p50 ? 1 : line.p50 / other.p50 }))
        .toSorted((a, b) => b.ratio - a.ratio);
    const peers = ratios("peer");
    const [floor] = ratios("floor");
    return { ...line, ...(peers.length > 0 && { peers }), ...(floor !== undefined && { floor }) };
  });
}

/** The worst ratio to a peer that did the same work for less; absent when none did. */
export function lossOf({ peers = [] }: Line): Ratio | undefined {
  return peers.find(({ ratio }) => ratio > 1);
}

/** The smallest value that at least this share of the values do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
