import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { read, ROOT } from "./markdown.ts";

const rows = read("docs/security.md")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (promise|-+)/.test(line));

test("every promise names a test, and the test is there", () => {
  expect(rows.length).toBeGreaterThan(40);
  const wrong = rows.filter((row) => {
    const [, file = "", title = ""] = /`([^`]+\.test\.ts)`: “([^”]+)”\s*\|$/.exec(row) ?? [];
    return file === "" || !existsSync(join(ROOT, file)) || !readFileSync(join(ROOT, file), "utf8").includes(title);
  });
  expect(wrong).toEqual([]);
});
