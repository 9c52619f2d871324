import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { compileSearchGlob } from "./glob-pattern.ts";
import { memoryTexts } from "../testing/memory-texts.ts";
import { openTestHost, type TestHost } from "../testing/test-host.ts";

function write(host: TestHost, path: string, age: number): void {
  mkdirSync(dirname(join(host.root, path)), { recursive: true });
  writeFileSync(join(host.root, path), "");
  utimesSync(join(host.root, path), 1_000_000 - age, 1_000_000 - age);
}

test("glob finds files, newest first, without ignored ones", async () => {
  await using host = await openTestHost();
  for (const [age, path] of [
    "src/new.ts",
    "src/deep/old.ts",
    "top.ts",
    ".hidden/x.ts",
    "out/y.ts",
    ".git/z.ts",
  ].entries()) {
    write(host, path, age);
  }
  writeFileSync(join(host.root, ".gitignore"), "out\n");
  expect(await host.data("glob", { pattern: "**/*.ts" })).toEqual({
    paths: ["src/new.ts", "src/deep/old.ts", "top.ts", ".hidden/x.ts"],
    count: 4,
    left: 0,
  });
  expect(await host.data("glob", { pattern: "*.ts" })).toMatchObject({ paths: ["top.ts"] });
  expect(await host.data("glob", { pattern: "*.ts", path: "src" })).toMatchObject({ paths: ["src/new.ts"] });
  expect(await host.data("glob", { pattern: "{top,src/*}.ts" })).toMatchObject({ count: 2 });
  expect(await host.data("glob", { pattern: "top.*", path: "top.ts" })).toMatchObject({ paths: ["top.ts"] });
  expect(await host.data("glob", { pattern: "x", path: "top.ts" })).toMatchObject({ paths: [] });
});

test("glob shows some files and counts the rest", async () => {
  await using host = await openTestHost();
  for (let file = 0; file < 1_100; file++) write(host, `f${file}`, file);
  const data = await host.data("glob", { pattern: "f*" });
  expect(data).toMatchObject({ count: 1_100, left: 600 });
  expect((data["paths"] as string[]).slice(0, 2)).toEqual(["f0", "f1"]);
});

test("glob finds texts of any other source", async () => {
  const texts = new Map([
    ["blocks/a.md", ""],
    ["blocks/b/c.md", ""],
    ["blocksmith.md", ""],
  ]);
  await using host = await openTestHost({ mounts: { ikigai: memoryTexts(texts) } });
  expect(await host.data("glob", { pattern: "*.md", path: "ikigai:///blocks" })).toMatchObject({
    paths: ["ikigai:///blocks/a.md"],
  });
  expect(await host.data("glob", { pattern: "**", path: "ikigai:///" })).toMatchObject({ count: 3 });
  expect(await host.data("glob", { pattern: "a.md", path: "ikigai:///blocks/a.md" })).toMatchObject({ count: 1 });
});

test.each([
  ["x".repeat(2_000), "longer than"],
  ["{a,b}".repeat(20), "more than 100"],
])("a glob that is too much is refused", async (pattern, problem) => {
  await using host = await openTestHost();
  const answer = await host.call("glob", { pattern });
  expect(answer).toMatchObject({ code: "invalid_input" });
  expect(JSON.stringify(answer)).toContain(problem);
});

test.each(["*a".repeat(50), "+(a|aa)+(a|aa)+(a|aa)b", "**/".repeat(100), "[".repeat(500), "!(!(!(a)))"])(
  "the hostile glob %j is answered",
  (pattern) => {
    const glob = compileSearchGlob(pattern, { anyDepth: true });
    expect(typeof glob.matches(`${"a".repeat(250)}/`.repeat(10))).toBe("boolean");
  },
);

test.each([
  ["src/**/*.{ts,md}", ["*.ts", "*.md"]],
  ["a.txt", ["a.txt"]],
  ["src/**", undefined],
  ["!*.ts", undefined],
  ["[ab].ts", undefined],
])("%s is looked for by name: %j", (pattern, names) => {
  expect(compileSearchGlob(pattern, { anyDepth: true }).names).toEqual(names);
});

test.each([
  ["**/*.{ts,md}", false, true],
  ["*.ts", true, true],
  ["*.ts", false, false],
  ["src/*.ts", true, false],
  ["**/a/*.ts", false, false],
])("a name decides about %s (at any depth: %s): %s", (pattern, anyDepth, isByName) => {
  expect(compileSearchGlob(pattern, { anyDepth }).isByName).toBe(isByName);
});
