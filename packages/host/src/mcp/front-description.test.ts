import { expect, test } from "vitest";
import { frontDescription } from "./front-description.ts";

test.each([
  ["---\nname: x\ndescription: Short letters\n---\nText", "Short letters"],
  ['---\r\ndescription: "Short: letters"\r\n---\r\n', "Short: letters"],
  ["---\ndescription: >-\n  Short\n  letters\nname: x\n---\n", "Short letters"],
  ["---\ndescription:\n---\n", undefined],
  ["---\nname: x\n---\ndescription: not here", undefined],
  ["description: not here", undefined],
  ["---\ndescription: never closed", undefined],
])("the description of %j is %j", (text, description) => {
  expect(frontDescription(text)).toBe(description);
});
