import type { Curve } from "./growth.ts";
import { formatFigure } from "./format.ts";

const WIDTH = 640;
const HEIGHT = 360;
const LEFT = 80;
const RIGHT = 40;
const TOP = 40;
const COLOURS = {
  ours: ["#1a7f37", "#0969da", "#8250df"],
  peer: ["#cf222e", "#bc4c00", "#9a6700"],
  floor: ["#57606a"],
};
const LEGEND_LINE = 18;

/** A plot of how cost grows with size, both axes logarithmic. */
export function plotGrowth(title: string, curves: readonly Curve[]): string {
  const sizes = curves.flatMap(({ points }) => points.map(({ size }) => size));
  const costs = curves.flatMap(({ points }) => points.map(({ p50 }) => p50)).filter((cost) => cost > 0);
  const bottom = HEIGHT - 40;
  const x = scale(powers(sizes), LEFT, WIDTH - RIGHT);
  const y = scale(powers(costs), bottom, TOP);
  const height = HEIGHT + curves.length * LEGEND_LINE + 8;
  const unit = curves[0]?.unit ?? "µs";
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    text(LEFT, 22, title, 'font-size="15" font-weight="bold"'),
    ...x.ticks.flatMap((size) => [
      rule(x.at(size), TOP, x.at(size), bottom),
      text(x.at(size), bottom + 18, size.toLocaleString("en"), 'text-anchor="middle"'),
    ]),
    ...y.ticks.flatMap((cost) => [
      rule(LEFT, y.at(cost), WIDTH - RIGHT, y.at(cost)),
      text(LEFT - 6, y.at(cost) + 4, formatFigure(cost, unit), 'text-anchor="end"'),
    ]),
    ...coloured(curves).flatMap(({ curve, colour }, index) => {
      const points = curve.points.filter(({ p50 }) => p50 > 0).map(({ size, p50 }) => [x.at(size), y.at(p50)] as const);
      const line = HEIGHT + index * LEGEND_LINE;
      return [
        `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${points.map(([px, py]) => `${round(px)},${round(py)}`).join(" ")}"/>`,
        ...points.map(([px, py]) => `<circle cx="${round(px)}" cy="${round(py)}" r="3" fill="${colour}"/>`),
        `<rect x="${LEFT}" y="${line - 9}" width="10" height="10" fill="${colour}"/>`,
        text(LEFT + 18, line, `${curve.side} (grows with size to the ${curve.exponent.toFixed(2)})`, ""),
      ];
    }),
    "</svg>",
  ];
  return `${parts.join("\n")}\n`;
}

function coloured(curves: readonly Curve[]): { curve: Curve; colour: string }[] {
  const used = { ours: 0, peer: 0, floor: 0 };
  return curves.map((curve) => {
    const shades = COLOURS[curve.role];
    const colour = shades[used[curve.role]++ % shades.length] ?? "#000000";
    return { curve, colour };
  });
}

interface Scale {
  readonly ticks: readonly number[];
  at(value: number): number;
}

/** Maps the logarithm of a value between the first and the last tick. */
function scale(ticks: readonly number[], from: number, to: number): Scale {
  const low = Math.log10(ticks[0] ?? 1);
  const high = Math.log10(ticks.at(-1) ?? 10);
  return { ticks, at: (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from) };
}

/** The powers of ten around the values, at least two. */
function powers(values: readonly number[]): number[] {
  const low = Math.floor(Math.log10(Math.min(...values)) + 1e-9);
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values)) - 1e-9));
  return Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index));
}

function rule(x1: number, y1: number, x2: number, y2: number): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="#d0d7de"/>`;
}

function text(x: number, y: number, content: string, more: string): string {
  return `<text x="${round(x)}" y="${round(y)}" fill="#24292f" ${more}>${escape(content)}</text>`;
}

function escape(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function round(value: number): string {
  return value.toFixed(1);
}
