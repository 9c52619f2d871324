import { expect, test } from "vitest";
import { expectShown } from "./run-page.ts";
import { testPages } from "./test-pages.ts";

testPages((page) => !page.startsWith("docs/how-to/"));

test("a shown output is compared exactly but for its ellipses", () => {
  expectShown("a … c\n", "a bb c\n", "here");
  expectShown("a\n…\nd\n", "a\nb\nc\nd\n", "here");
  expect(() => expectShown("a … c\n", "a\nc\n", "here")).toThrow("here shows");
  expect(() => expectShown("a\n", "a\nb\n", "here")).toThrow("but this happened");
});
