import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { placeInPattern } from "./place-in-pattern.ts";
import { memoryTexts } from "../testing/memory-texts.ts";
import { openTestHost } from "../testing/test-host.ts";

const TEXTS = new Map([
  ["blocks/a.md", "needle one"],
  ["blocks/b/c.md", "needle two"],
  ["blocksmith.txt", "needle three"],
]);

test.each([
  ["redis:///**", ["redis:///blocks/a.md", "redis:///blocks/b/c.md", "redis:///blocksmith.txt"]],
  ["redis:///", ["redis:///blocks/a.md", "redis:///blocks/b/c.md", "redis:///blocksmith.txt"]],
  ["redis:///*.txt", ["redis:///blocksmith.txt"]],
  ["redis:///blocks/**/*.md", ["redis:///blocks/a.md", "redis:///blocks/b/c.md"]],
  ["redis:///blocks/a.md", ["redis:///blocks/a.md"]],
  ["REDIS:///block{s,smith}/*", ["redis:///blocks/a.md"]],
])("glob finds the texts of another source by the address %s", async (pattern, paths) => {
  await using host = await openTestHost({ mounts: { redis: memoryTexts(TEXTS) } });
  const found = await host.data("glob", { pattern });
  expect((found["paths"] as string[]).toSorted()).toEqual(paths);
});

test("grep searches the source that its glob names", async () => {
  await using host = await openTestHost({ mounts: { redis: memoryTexts(TEXTS) } });
  const pathsOf = async (glob: string): Promise<unknown[]> =>
    ((await host.data("grep", { pattern: "needle", glob }))["matches"] as { path: string }[]).map(({ path }) => path);
  expect(await pathsOf("redis:///**")).toEqual([...TEXTS.keys()].map((path) => `redis:///${path}`));
  expect(await pathsOf("redis:///blocks/**/*.md")).toEqual(["redis:///blocks/a.md", "redis:///blocks/b/c.md"]);
});

test("glob and grep take an absolute path of the workspace with wildcards", async () => {
  await using host = await openTestHost();
  mkdirSync(join(host.root, "src"));
  writeFileSync(join(host.root, "src/a.ts"), "needle");
  expect(await host.data("glob", { pattern: `file:///src/*.ts` })).toMatchObject({ paths: ["src/a.ts"] });
  expect(await host.data("grep", { pattern: "needle", glob: "file:///src/*.ts" })).toMatchObject({ count: 1 });
});

test("a glob with a place of its own beside a path is refused, and an unknown mount is named", async () => {
  await using host = await openTestHost({ mounts: { redis: memoryTexts(TEXTS) } });
  expect(await host.call("glob", { pattern: "redis:///**", path: "src" })).toMatchObject({ code: "invalid_input" });
  expect(await host.call("glob", { pattern: "valkey:///**" })).toMatchObject({ code: "not_found" });
});

test("a glob without a place keeps path and glob as they were given", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string(), (pattern, path) => {
      fc.pre(!pattern.startsWith("/") && !/^[^/]*:\/\/\//.test(pattern));
      expect(placeInPattern(pattern, path)).toEqual({ path, pattern });
    }),
  );
});

test("every path below an address is matched by the glob of that address", () => {
  const segment = fc.stringMatching(/^[a-z0-9.*]{1,6}$/);
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 5 }), (segments) => {
      const { path, pattern } = placeInPattern(`redis:///${segments.join("/")}`, undefined);
      expect(path).not.toContain("*");
      expect(`${path === "redis:///" ? path : `${path}/`}${pattern}`).toBe(`redis:///${segments.join("/")}`);
    }),
  );
});
