import type { Line } from "./line.ts";

/** How one side's cost grows with the data. */
export interface Curve {
  readonly bench: string;
  readonly curve: string;
  readonly unit: Line["unit"];
  readonly side: string;
  readonly role: Line["role"];
  readonly points: readonly { readonly size: number; readonly p50: number }[];
  /** Cost grows with size to this power: 0 is flat, 1 is in proportion. */
  readonly exponent: number;
}

/** The curves among lines that have at least two sizes. */
export function curvesOf(lines: readonly Line[]): Curve[] {
  const curves = new Map<string, Line[]>();
  for (const line of lines) {
    if (line.growth === undefined) continue;
    const key = [line.bench, line.growth.curve, line.side].join("\n");
    curves.set(key, [...(curves.get(key) ?? []), line]);
  }
  return [...curves.values()].flatMap((members) => {
    const [first] = members;
    if (first?.growth === undefined || members.length < 2) return [];
    const points = members
      .map(({ growth, p50 }) => ({ size: growth?.size ?? 0, p50 }))
      .toSorted((a, b) => a.size - b.size);
    const { bench, unit, side, role } = first;
    return [{ bench, curve: first.growth.curve, unit, side, role, points, exponent: fitExponent(points) }];
  });
}

/** The slope of the straight line through the points on logarithmic axes, by least squares. */
export function fitExponent(points: readonly { readonly size: number; readonly p50: number }[]): number {
  const logs = points.map(({ size, p50 }) => ({ x: Math.log(size), y: Math.log(p50) }));
  const x = mean(logs.map((log) => log.x));
  const y = mean(logs.map((log) => log.y));
  const above = logs.reduce((sum, log) => sum + (log.x - x) * (log.y - y), 0);
  const below = logs.reduce((sum, log) => sum + (log.x - x) ** 2, 0);
  return above / below;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
