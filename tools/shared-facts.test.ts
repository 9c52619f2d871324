import { expect, test } from "vitest";
import { copiesOf, productFiles } from "./check-shared-facts.mjs";

test("each fact that several packages need is defined in one file", () => {
  const copied = copiesOf(productFiles()).filter(({ home, found }) => found.length !== 1 || found[0] !== home);
  expect(copied).toEqual([]);
});

test.each([
  ["order of permissions", 'const ORDER = ["read_only", "partner", "human"];'],
  ["characters that hide text", String.raw`const HIDDEN = /[\u200b\u202a-\u202e]/g;`],
  ["strictness of opinions", "const RANK = { allow: 0, ask: 1, deny: 2 };"],
  ["mount of an address", 'const mount = target.slice(0, target.indexOf(":///"));'],
  ["estimate of tokens", "const tokens = Math.ceil(Buffer.byteLength(text) / 4);"],
  ["lines of a text", "function countLines(text: string): number {"],
  ["glob of paths below a root", "export function compileGlob(pattern: string): PathMatcher {"],
  ["planning", "const plans = new WeakMap<Input, Plan>();"],
])("a second definition is found: %s", (fact, text) => {
  const file = "packages/other/src/copy.ts";
  const found = copiesOf([...productFiles(), [file, text]]).find((one) => one.fact === fact);
  expect(found?.found).toEqual([found?.home, file]);
});
