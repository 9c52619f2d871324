import * as fc from "fast-check";
import { expect, test } from "vitest";
import { applyUnifiedPatch, createUnifiedDiff } from "./unified-patch.ts";

const names = { before: "a", after: "b" };
const apply = (text: string, patch: string): string => applyUnifiedPatch(text, patch, "t");

test("patching a text with its difference to another gives the other", () => {
  const units = fc.constantFrom(
    "a",
    "b",
    "\n",
    "\n",
    "\r\n",
    "\r",
    " ",
    "-",
    "+",
    "@@ ",
    "--- ",
    "\\ No newline",
    "😀",
  );
  const texts = fc.string({ unit: units, maxLength: 60 });
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      fc.pre(before !== after);
      expect(apply(before, createUnifiedDiff(before, after, names))).toBe(after);
    }),
    { numRuns: 500 },
  );
});

test("patching any string with its difference to another gives the other", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (before, after) => {
      fc.pre(before !== after);
      expect(apply(before, createUnifiedDiff(before, after, names))).toBe(after);
    }),
    { numRuns: 40 },
  );
});

test("texts that are the same have no difference", () => {
  expect(createUnifiedDiff("x\n", "x\n", names)).toBe("");
});

test("texts that have too little in common are told as one hunk", () => {
  const text = (word: string): string => Array.from({ length: 3_000 }, (_, i) => `${word} ${i}\n`).join("");
  const [before, after] = [text("a"), text("b").trimEnd()];
  const diff = createUnifiedDiff(before, after, names);
  expect(diff).toContain("@@ -1,3000 +1,3000 @@");
  expect(apply(before, diff)).toBe(after);
});

const TEN = Array.from({ length: 10 }, (_, i) => `line ${i}\n`).join("");

test.each([
  ["the right numbers", "@@ -3,3 +3,3 @@\n line 2\n-line 3\n+LINE 3\n line 4\n"],
  ["a wrong line", "@@ -7,3 +7,3 @@\n line 2\n-line 3\n+LINE 3\n line 4\n"],
  ["wrong counts", "@@ -3,9 +3,1 @@\n line 2\n-line 3\n+LINE 3\n line 4\n"],
  ["no numbers", "@@\n line 2\n-line 3\n+LINE 3\n line 4\n"],
  ["no numbers, closed", "@@ @@\n-line 3\n+LINE 3\n"],
  ["dots for numbers", "@@ ... @@\n-line 3\n+LINE 3\n"],
  ["file headers", "diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -3,9 +3,9 @@\n line 2\n-line 3\n+LINE 3\n"],
  ["no final line break", "@@ -3,9 +3,1 @@\n line 2\n-line 3\n+LINE 3"],
])("a hunk with %s is applied", (_, patch) => {
  expect(apply(TEN, patch)).toBe(TEN.replace("line 3", "LINE 3"));
});

test("several hunks with wrong counts move each other", () => {
  const patch = "@@ -1,9 +1,9 @@\n line 0\n+new\n line 1\n@@ -9,9 +9,9 @@\n line 8\n-line 9\n+LINE 9\n";
  expect(apply(TEN, patch)).toBe(TEN.replace("line 1", "new\nline 1").replace("line 9", "LINE 9"));
});

test("an empty context line may have lost its space", () => {
  expect(apply("a\n\nb\n", "@@ -1,9 +1,9 @@\n a\n\n-b\n+c\n")).toBe("a\n\nc\n");
});

test("a patch with LF fits a text with CRLF, whose endings stay", () => {
  expect(apply("a\r\nb\r\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n")).toBe("a\r\nc\r\n");
  expect(apply("a\r\nb\r\n", "@@\n a\n-b\n+c\n")).toBe("a\r\nc\r\n");
});

test.each([
  ["words", "change line 3 please", "invalid_input"],
  ["nothing", "", "invalid_input"],
  ["an empty hunk", "@@ -1,1 +1,1 @@\n", "invalid_input"],
  ["an unmarked line", "@@ -1,9 +1,1 @@\n line 0\nline 1\n", "invalid_input"],
  ["context that is not there", "@@ -1,2 +1,2 @@\n line x\n-line 1\n+y\n", "conflict"],
  ["context that is nowhere, without numbers", "@@\n line x\n-line 1\n+y\n", "conflict"],
  ["two files", "--- a\n+++ a\n@@ -1 +1 @@\n-line 0\n+x\n--- b\n+++ b\n@@ -1 +1 @@\n-line 0\n+x\n", "invalid_input"],
  ["two files, loosely", "--- a\n+++ a\n@@\n-line 0\n+x\n--- b\n+++ b\n@@\n-line 0\n+x\n", "invalid_input"],
  ["a hunk that fits anywhere", "@@\n+x\n", "ambiguous"],
])("%s is refused", (_, patch, code) => {
  expect(() => apply(TEN, patch)).toThrow(expect.objectContaining({ code }));
});

test("a hunk without numbers that fits two places is ambiguous", () => {
  expect(() => apply("a\nb\na\nb\n", "@@\n-b\n+c\n")).toThrow(expect.objectContaining({ code: "ambiguous" }));
});

test("a long hunk that nearly fits everywhere is given up", () => {
  const patch = `@@ -1,3001 +1,3001 @@\n${" a\n".repeat(3_000)}-b\n+c\n`;
  expect(() => apply("a\n".repeat(10_000), patch)).toThrow(expect.objectContaining({ code: "timeout" }));
});
