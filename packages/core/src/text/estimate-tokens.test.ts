import { expect, test } from "vitest";
import { estimateTokens } from "./estimate-tokens.ts";

test.each([
  ["", 0],
  ["a", 1],
  ["abc", 1],
  ["abcd", 2],
  ["é", 1],
  ["🧠🧠", 3],
])("the tokens of %j are estimated as a third of its bytes, rounded up: %i", (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});
