import { expect, test } from "vitest";
import { globText, grepText } from "./search-text.ts";

test("matches are written as grep writes them", () => {
  const matches = [
    { path: "a.ts", line: 3, text: '  say("hi");' },
    { path: "b.ts", line: 10, text: "x" },
  ];
  expect(grepText({ matches, count: 2, left: 0 })).toBe('a.ts:3:  say("hi");\nb.ts:10:x');
  expect(grepText({ matches, count: 9, left: 7 })).toMatch(/\n\[7 more matches of 9 not shown\]$/);
  expect(grepText({ matches: [], count: 0, left: 0 })).toBe("No matches.");
});

test("a line that is cut says where in it the match is", () => {
  const matches = [{ path: "a.js", line: 1, text: "…x…", column: 1_500_001, line_length: 3_000_001 }];
  expect(grepText({ matches, count: 1, left: 0 })).toBe("a.js:1:…x… [match at column 1500001 of 3000001]");
});

test("lines around a match have dashes instead of colons, and matches are parted", () => {
  const matches = [
    { path: "a", line: 2, text: "m", before: ["l1"], after: ["l3", "l4"] },
    { path: "b", line: 1, text: "m", before: [], after: [] },
  ];
  expect(grepText({ matches, count: 2, left: 0 })).toBe("a-1-l1\na:2:m\na-3-l3\na-4-l4\n--\nb:1:m");
});

test("a search that was ended early says so", () => {
  const incomplete = "it took too long";
  expect(globText({ paths: ["a", "b"], count: 3, left: 1, incomplete })).toBe(
    "a\nb\n[1 more path of 3 not shown; there may be more: it took too long]",
  );
  expect(globText({ paths: [], count: 0, left: 0, incomplete })).toBe("No paths so far: it took too long.");
});

test("the text of a search still tells what is left of a cut answer", () => {
  expect(grepText({})).toBe("No matches.");
  expect(grepText({ matches: [{}], count: 1 })).toBe(":0:");
  expect(globText({})).toBe("No paths.");
});
