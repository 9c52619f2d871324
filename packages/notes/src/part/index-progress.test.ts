import { expect, test } from "vitest";
import { createIndexProgress } from "./index-progress.ts";

test("a long look at the notes shows a bar that fills and goes away", () => {
  const lines: string[] = [];
  const show = createIndexProgress((line) => lines.push(line));
  show({ done: 0, total: 3_000 });
  show({ done: 1_500, total: 3_000 });
  show({ done: 3_000, total: 3_000 });
  expect(lines).toEqual([
    `Indexing notes ${"░".repeat(24)} 0 of 3,000`,
    `Indexing notes ${"█".repeat(12)}${"░".repeat(12)} 1,500 of 3,000`,
    "",
  ]);
});

test("a short look at the notes shows no progress bar", () => {
  const lines: string[] = [];
  const show = createIndexProgress((line) => lines.push(line));
  show({ done: 2_990, total: 3_000 });
  show({ done: 3_000, total: 3_000 });
  show({ done: 0, total: 0 });
  expect(lines).toEqual([]);
});
