import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pages, ROOT } from "./markdown.ts";
import { openPlace } from "./place.ts";
import { expectShown, runPage, stepsOf } from "./run-page.ts";

let cache: string;
beforeAll(async () => void (cache = await mkdtemp(join(tmpdir(), "ikigai-docs-cache-"))));
afterAll(() => rm(cache, { recursive: true, force: true }));

const withSteps = pages()
  .map((page) => ({ page, steps: stepsOf(page) }))
  .filter(({ steps }) => steps.some(({ kind }) => kind !== "file"));

test.each(withSteps)("what $page shows is what happens", { timeout: 300_000 }, async ({ steps }) => {
  expect(existsSync(join(ROOT, "apps/cli/dist/main.js")), "build first").toBe(true);
  const place = await openPlace(cache);
  try {
    await runPage(steps, place);
  } finally {
    await place.close();
  }
});

test("a shown output is compared exactly but for its ellipses", () => {
  expectShown("a … c\n", "a bb c\n", "here");
  expectShown("a\n…\nd\n", "a\nb\nc\nd\n", "here");
  expect(() => expectShown("a … c\n", "a\nc\n", "here")).toThrow("here shows");
  expect(() => expectShown("a\n", "a\nb\n", "here")).toThrow("but this happened");
});
