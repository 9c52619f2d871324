import { expect, test } from "vitest";
import { createRedactor } from "./redactor.ts";
import { letters } from "./secret-corpus.test.helper.ts";

const { redact } = createRedactor({ env: {} });
const LONG = letters(1_200);

test.each([
  [`password=${LONG} user=ann`, "password=[redacted] user=ann"],
  [`password=${LONG}`, "password=[redacted]"],
  [`password: "${LONG}", user: "ann"`, 'password: "[redacted]", user: "ann"'],
  [`password: "${LONG}`, 'password: "[redacted]'],
  [`password: "${LONG}\nuser: ann`, 'password: "[redacted]\nuser: ann'],
  [`password="""${LONG}\nmore""" user`, 'password="""[redacted]""" user'],
  [`password=&quot;${LONG}&quot; user`, "password=&quot;[redacted]&quot; user"],
  [`password%3D%22${LONG}%22%26user`, "password%3D%22[redacted]%22%26user"],
  [`["--password","${LONG}","x"]`, '["--password","[redacted]","x"]'],
])("a value of 1,200 characters is hidden to its end: %#", (text, expected) => {
  expect(redact(text)).toBe(expected);
});

test.each([
  ["bearer internationalization-and-more", "bearer internationalization-and-more"],
  ["token packages/core/src/redact", "token packages/core/src/redact"],
  ["bearer abcdefghijklmnopqrstuvwxyz", "bearer [redacted:authorization]"],
])("what stands behind a scheme in a sentence is judged by its letters: %s", (text, expected) => {
  expect(redact(text)).toBe(expected);
});

test.each([
  ["password: |\n  <fill me in>\n", "password: |\n  <fill me in>\n"],
  ["password: |\n", "password: |\n"],
  ["token: |\n  a word\n", "token: |\n  a word\n"],
  [`token: |\n  ${letters(30)}\nuser: ann`, "token: |\n  [redacted]\nuser: ann"],
  ["- password: |\n    hunter2\n\n    more\n- user: ann", "- password: |\n    [redacted]\n- user: ann"],
])("a block of YAML is hidden as a whole, unless it is a placeholder: %#", (text, expected) => {
  expect(redact(text)).toBe(expected);
});

test.each([
  ['passwords: ["a1b2", "$X", "c3d4"]', 'passwords: ["[redacted]", "$X", "[redacted]"]'],
  ["passwords: [1, 2]", "passwords: [1, 2]"],
  ['tokens: ["a", "b"]', 'tokens: ["a", "b"]'],
  ["passwords: ['a1b2', 7]", "passwords: ['[redacted]', 7]"],
])("the texts of a list under a password's name are hidden: %s", (text, expected) => {
  expect(redact(text)).toBe(expected);
});

test("a string of JSON that was torn, or goes over lines, is left to the other rules", () => {
  expect(redact('"a\\q password=hunter2"')).toBe('"a\\q password=[redacted]"');
  expect(redact('"a\\n b \n password=hunter2 "x\\n"')).toContain("password=[redacted]");
  expect(redact('said \\ and "never closed password=hunter2')).toContain("password=[redacted]");
});
