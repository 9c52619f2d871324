import { assert, constantFrom, integer, json, property, string } from "fast-check";
import { expect, test } from "vitest";
import { describeJsonProblem, findJsonProblem } from "./json-problem.ts";

test.each([
  ["", "line 1, column 1: the text ends where a value should be"],
  ['{ "a": }', 'line 1, column 8: a value is expected, not "}"'],
  ['{\n  "a": 1,\n}', 'line 3, column 1: a name in double quotes is expected, not "}"'],
  ["{ a: 1 }", 'line 1, column 3: a name in double quotes or } is expected, not "a"'],
  ["[1 2]", 'line 1, column 4: a comma or the end of the list or object is expected, not "2"'],
  ['{"a" 1}', 'line 1, column 6: a colon is expected, not "1"'],
  ["{} x", 'line 1, column 4: nothing more is expected, not "x"'],
  ['{"a": "b', "line 1, column 9: the text ends inside of a string"],
  ['["\\x"]', "line 1, column 3: the string has an escape that JSON does not know"],
  ['["a\nb"]', "line 1, column 4: the string has a line break or control character"],
])("%j is told as %s", (text, told) => expect(describeJsonProblem(text)).toBe(told));

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test("a problem is found exactly in what cannot be parsed, also in JSON with one character exchanged", () => {
  const odd = constantFrom("{", "}", "[", "]", ",", ":", '"', "\\", "0", "-", ".", "e", "t", "\n", "\u0001", " ", "");
  assert(
    property(json(), integer({ min: 0, max: 200 }), odd, (text, place, char) => {
      const at = place % (text.length + 1);
      for (const one of [text, text.slice(0, at), `${text.slice(0, at)}${char}${text.slice(at + 1)}`]) {
        expect(findJsonProblem(one) === undefined, one).toBe(isJson(one));
      }
    }),
    { numRuns: 2_000 },
  );
  assert(
    property(string(), (text) => {
      expect(findJsonProblem(text) === undefined).toBe(isJson(text));
    }),
  );
});
