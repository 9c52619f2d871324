import fc from "fast-check";
import { expect, test } from "vitest";
import { findDuplicateKey } from "./duplicate-key.ts";

test.each([
  ['{"a":1,"a":2}', "a"],
  ['{"a":1,"\\u0061":2}', "a"],
  ['{"x":[{"b":{}},{"b":1,"c":"{\\"b\\":1}","b":2}]}', "b"],
  ['{"a":{"a":[{"a":1}]},"b":"a"}', undefined],
  ['["a","a"]', undefined],
  ['"a:a"', undefined],
])("%s has %s twice", (json, key) => {
  expect(findDuplicateKey(json)).toBe(key);
});

test("JSON that JSON.stringify wrote has no key twice", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(findDuplicateKey(JSON.stringify(value))).toBeUndefined();
    }),
  );
});
