import { expect, test } from "vitest";
import { createNameFinder } from "./find-names.ts";

test("100,000 names are gathered and searched while other work goes on", async () => {
  async function* names(): AsyncIterable<string> {
    for (let at = 0; at < 100_000; at++) yield `src/folder-${at % 97}/module-${at}.ts`;
  }
  let grew = 0;
  const finder = createNameFinder(names, () => grew++);
  await finder.ready;
  expect(finder.size).toBe(100_000);
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 1);
  const overtaken = finder.find("mod", 5);
  const found = await finder.find("module-77123", 5);
  clearInterval(ticking);
  expect(await overtaken).toBeUndefined();
  expect(found?.[0]).toContain("module-77123.ts");
  expect(await finder.find("", 3)).toHaveLength(3);
  expect(await finder.find("zzzzqqq", 3)).toEqual([]);
  expect(grew).toBeGreaterThan(1);
});
