import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Line, withRatios } from "./line.ts";
import { writeReport } from "./report.ts";

async function reportOf(
  lines: readonly Line[],
  failed: readonly string[] = [],
): Promise<{ page: string; plots: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), "ikigai-report-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeReport(folder, lines, { quick: false, failed, seconds: 1 });
  const page = await readFile(join(folder, "benchmarks.md"), "utf8");
  return { page, plots: await readdir(join(folder, "benchmarks")) };
}

const at = (size: number): Line[] => {
  const common = { bench: "search", work: `glob **/*.ts in ${size}`, unit: "µs", p99: 9, rounds: 3 } as const;
  const growth = { curve: "glob", size };
  return withRatios([
    { ...common, side: "rg", role: "peer", p50: 10, guarantee: "in no order", growth },
    { ...common, side: "glob", role: "ours", p50: size, guarantee: "newest | first", growth },
  ]);
};

test("a lost line is red, with both guarantees and a reason, and stars stay stars", async () => {
  const { page } = await reportOf(at(20));
  const lost = page.split("\n").find((row) => row.includes("in no order") && row.includes("newest")) ?? "";
  expect(lost).toContain("❌ 2.00×");
  expect(lost).toContain("glob \\*\\*/\\*.ts");
  expect(lost).toContain("newest \\| first");
  expect(lost).toContain("stats each match");
});

test("sizes of one curve are plotted, with the exponent", async () => {
  const { page, plots } = await reportOf([...at(10), ...at(100), ...at(1_000)]);
  expect(plots).toEqual(["search-glob.svg"]);
  expect(page).toContain("![search: glob](benchmarks/search-glob.svg)");
  expect(page).toMatch(/\| search: glob \| glob \| 10: .* \| 1\.00 \|/);
});

test("a part that failed is named", async () => {
  const { page } = await reportOf(at(5), ["notes"]);
  expect(page).toContain("**notes did not come to an end**");
});
