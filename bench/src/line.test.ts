import { expect, test } from "vitest";
import { fitExponent } from "./growth.ts";
import { compare, type Line, lossOf, percentile, type Side, takenElsewhere, withRatios } from "./line.ts";
import { lossesOf } from "./losses.ts";

const line = (side: string, role: Line["role"], p50: number, more: Partial<Line> = {}): Line => ({
  bench: "files",
  work: "read",
  side,
  role,
  unit: "µs",
  p50,
  p99: p50,
  rounds: 1,
  ...more,
});

test("a percentile is the smallest value that the share does not exceed", () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(percentile(values, 0.5)).toBe(50);
  expect(percentile(values, 0.99)).toBe(99);
  expect(percentile([7], 0.99)).toBe(7);
  expect(percentile([], 0.5)).toBeNaN();
});

test("the exponent is that of the power that made the costs", () => {
  const sizes = [100, 1_000, 10_000, 100_000];
  for (const exponent of [0, 0.5, 1, 2]) {
    const points = sizes.map((size) => ({ size, p50: 3 * size ** exponent }));
    expect(fitExponent(points)).toBeCloseTo(exponent, 9);
  }
});

test("ours is set against every peer, worst first, and against the floor, of the same work only", () => {
  const lines = [
    line("floor", "floor", 1),
    line("slow", "peer", 8),
    line("fast", "peer", 2),
    line("ours", "ours", 4),
    line("other", "peer", 1, { work: "write" }),
  ];
  const ours = withRatios(lines)[3];
  expect(ours?.peers).toEqual([
    { name: "fast", ratio: 2 },
    { name: "slow", ratio: 0.5 },
  ]);
  expect(ours?.floor).toEqual({ name: "floor", ratio: 4 });
  expect(ours && lossOf(ours)).toEqual({ name: "fast", ratio: 2 });
});

test("a kind of work that is lost at several sizes is told once, with its worst and its best", () => {
  const at = (size: number, ours: number, theirs: number): Line[] => {
    const more = { work: `read at ${size}`, growth: { curve: "read", size } };
    return withRatios([line("theirs", "peer", theirs, more), line("ours", "ours", ours, more)]);
  };
  const won = withRatios([line("theirs", "peer", 9, { work: "won" }), line("ours", "ours", 3, { work: "won" })]);
  const losses = lossesOf([...at(10, 30, 10), ...at(100, 5, 10), ...won]);
  expect(losses.map(({ line: { work }, peer, ratio, least }) => [work, peer.side, ratio, least])).toEqual([
    ["read at 10", "theirs", 3, 0.5],
  ]);
});

test("sides take turns, another first in each round, and what another process measured is taken as it is", async () => {
  const order: string[] = [];
  const side = (name: string): Side => ({
    name,
    guarantee: "none",
    run: () => (order.push(name), takenElsewhere(name === "a" ? 10 : 20)),
  });
  const lines = await compare("test", "turns", [side("a"), side("b")], { rounds: 3, warmUp: 0 });
  expect(order).toEqual(["a", "b", "b", "a", "a", "b"]);
  expect(lines.map(({ p50, rounds }) => [p50, rounds])).toEqual([
    [10, 3],
    [20, 3],
  ]);
});

test("a measurement that takes too long ends after five rounds", async () => {
  const lines = await compare("test", "long", [{ name: "a", guarantee: "none", run: () => {} }], {
    rounds: 1_000,
    warmUp: 0,
    withinMs: -1,
  });
  expect(lines[0]?.rounds).toBe(5);
});
