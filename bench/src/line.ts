/** One measured line of the table. Times in microseconds. */
export interface Line {
  readonly bench: string;
  readonly work: string;
  readonly side: string;
  readonly p50: number;
  readonly p99: number;
  readonly rounds: number;
  /** Time against the side named in `against`, measured in the same run. */
  readonly ratio?: number;
  readonly against?: string;
  readonly guarantee?: string;
}

export interface Side {
  readonly name: string;
  readonly guarantee?: string;
  run(): Promise<unknown> | unknown;
}

/**
 * Measures sides in turn, round by round, so that noise hits all of them.
 *
 * Contract: the first side is the one the others are compared with.
 */
export async function compare(bench: string, work: string, sides: readonly Side[], rounds: number): Promise<Line[]> {
  const times = sides.map((): number[] => []);
  for (let round = -Math.ceil(rounds / 10); round < rounds; round++) {
    for (const [index, side] of sides.entries()) {
      const started = performance.now();
      await side.run();
      if (round >= 0) times[index]?.push((performance.now() - started) * 1_000);
    }
  }
  const base = percentile(times[0] ?? [], 0.5);
  return sides.map(({ name, guarantee }, index) => {
    const measured = times[index] ?? [];
    const p50 = percentile(measured, 0.5);
    return {
      bench,
      work,
      side: name,
      p50,
      p99: percentile(measured, 0.99),
      rounds,
      ...(index > 0 && { ratio: p50 / base, against: sides[0]?.name ?? "" }),
      ...(guarantee !== undefined && { guarantee }),
    };
  });
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
