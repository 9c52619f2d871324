import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { idleNames, usingFiles } from "./name-users.mjs";

const names = JSON.parse(readFileSync("tools/public-names.json", "utf8")) as Record<string, string[]>;

test("every public name is used outside its package", () => {
  const idle = Object.entries(idleNames(names, usingFiles())).filter(([, unused]) => unused.length > 0);
  expect(Object.fromEntries(idle)).toEqual({});
});

test("a name counts as used by another package or by the code of a page, and not by its own package or by prose", () => {
  const files = [
    ["packages/notes/src/a.ts", 'import { scan } from "@ikigai/notes";'],
    ["docs/a.md", "@ikigai/notes"],
    ["packages/host/src/a.ts", 'import { index } from "@ikigai/notes";'],
    ["packages/host/src/b.ts", "scan();"],
  ] as const;
  expect(idleNames({ "@ikigai/notes": ["index", "scan"] }, files)).toEqual({ "@ikigai/notes": ["scan"] });
});
