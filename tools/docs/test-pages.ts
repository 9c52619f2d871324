import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pages, ROOT } from "./markdown.ts";
import { openPlace } from "./place.ts";
import { runPage, stepsOf } from "./run-page.ts";

/** One test for each page that `chosen` takes and that has something to run, each in a place of its own. */
export function testPages(chosen: (page: string) => boolean): void {
  let made: string;
  let cache: string;
  beforeAll(async () => {
    made = await mkdtemp(join(tmpdir(), "ikigai-docs-cache-"));
    cache = process.env["XDG_CACHE_HOME"] ?? made;
  });
  afterAll(() => rm(made, { recursive: true, force: true }));

  const withSteps = pages()
    .filter(chosen)
    .map((page) => ({ page, steps: stepsOf(page) }))
    .filter(({ steps }) => steps.some(({ kind }) => kind !== "file"));

  // oxlint-disable-next-line vitest/valid-title
  test.each(withSteps)("what $page shows is what happens", { timeout: 300_000 }, async ({ steps }) => {
    expect(existsSync(join(ROOT, "apps/cli/dist/main.js")), "build first").toBe(true);
    const place = await openPlace(cache);
    try {
      await runPage(steps, place);
    } finally {
      await place.close();
    }
  });
}
