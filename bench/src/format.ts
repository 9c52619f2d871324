import type { Line } from "./line.ts";

/** A figure with three digits and the unit that suits it. */
export function formatFigure(value: number, unit: Line["unit"]): string {
  if (unit === "MB") return `${digits(value)} MB`;
  if (unit === "lost") return `${value} lost`;
  if (value < 1_000) return `${digits(value)} µs`;
  return value < 1_000_000 ? `${digits(value / 1_000)} ms` : `${digits(value / 1_000_000)} s`;
}

export function formatRatio(ratio: number): string {
  return Number.isFinite(ratio) ? `${digits(ratio)}×` : "∞";
}

/** In parentheses where all sides share it. */
export function formatMemory({ rss, isShared }: Line): string {
  if (rss === undefined) return "";
  return isShared === true ? `(${rss.toFixed(0)} MB)` : `${rss.toFixed(0)} MB`;
}

function digits(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
