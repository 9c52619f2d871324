import * as fc from "fast-check";
import { expect, test } from "vitest";
import { HELD_OUT_CASES } from "./held-out-corpus.test.helper.ts";
import { INNOCENT_TEXTS } from "./innocent-corpus.test.helper.ts";
import { createRedactor } from "./redactor.ts";
import { SECRET_SHAPE_CASES, type SecretShapeCase } from "./secret-corpus.test.helper.ts";

const redactor = createRedactor({
  env: {
    DEPLOY_PASSWORD: "tr0ub4dor&3",
    MY_TOKEN: 'quo"ted secret',
    HOME: "/home/me",
    AUTH_TOKEN: "/run/token",
    X_KEY: "no",
  },
  extra: { provider: "blue-monday", short: "abc" },
});

/** The shapes that stay, of those that are given. */
function missed(list: readonly SecretShapeCase[], around: (text: string) => string): string[] {
  return list.filter(({ text, secret }) => redactor.redact(around(text)).includes(secret)).map(({ text }) => text);
}

/** Two shapes that are too unusual to be told from other text. */
const UNUSUAL = [/^s\.aB3d/, /^ann\/hunter2@/];
const usual = SECRET_SHAPE_CASES.filter(({ text }) => !UNUSUAL.some((one) => one.test(text)));

test("the redactor takes the secret out of every usual shape, alone and in the middle of a text", () => {
  expect(SECRET_SHAPE_CASES.every(({ text, secret }) => text.includes(secret))).toBe(true);
  expect(usual.length).toBeGreaterThanOrEqual(SECRET_SHAPE_CASES.length - UNUSUAL.length);
  expect(missed(usual, (text) => text)).toEqual([]);
  expect(missed(usual, (text) => `first line\n${text}\nlast line`)).toEqual([]);
});

test("the redactor takes the secret out of the same shapes in a string of JSON, but for few", () => {
  const inJson = missed(usual, (text) => JSON.stringify({ output: `first line\n${text}\nlast line` }));
  const inValue = usual.filter(({ text, secret }) =>
    JSON.stringify(redactor.redactValue({ list: [text] })).includes(JSON.stringify(secret).slice(1, -1)),
  );
  expect(inValue.map(({ text }) => text)).toEqual([]);
  expect(inJson.length / usual.length).toBeLessThan(0.04);
});

test("the redactor finds most shapes that its rules were not written against", () => {
  const left = missed(HELD_OUT_CASES, (text) => text);
  const rate = 1 - left.length / HELD_OUT_CASES.length;
  expect.soft(rate, left.join("\n")).toBeGreaterThanOrEqual(0.95);
});

test.each([
  ["the environment", "from the environment: tr0ub4dor&3", "tr0ub4dor"],
  ["the environment, as JSON", `as JSON: ${JSON.stringify('quo"ted secret')}`, 'quo\\"ted'],
  ["the environment, in a URL", `in a URL: ${encodeURIComponent("tr0ub4dor&3")}`, "tr0ub4dor"],
  ["the environment, in base64", Buffer.from("tr0ub4dor&3").toString("base64"), "dHIwdWI0ZG9y"],
  ["the environment, in hex", Buffer.from("tr0ub4dor&3").toString("hex"), "7472307562"],
  ["the configuration", "from the configuration: blue-monday", "blue-monday"],
])("a secret of %s is known by its value", (_where, text, secret) => {
  expect(redactor.redact(text)).not.toContain(secret);
});

test.each(INNOCENT_TEXTS)("leaves %j alone", (text) => {
  expect(redactor.redact(text)).toBe(text);
});

test("the redactor leaves short values and paths of secret variables alone", () => {
  const text = "/run/token and abc and no and /home/me";
  expect(redactor.redact(text)).toBe(text);
});

test("the redactor's marker says what was taken out, and the text around it stays", () => {
  expect(redactor.redact("psql postgres://app:hunter2@db/x")).toBe("psql postgres://app:[redacted:url-password]@db/x");
  expect(redactor.redact('{"password":"hunter2","a":1}')).toBe('{"password":"[redacted]","a":1}');
  expect(redactor.redact('{"password":4711999,"a":1}')).toBe('{"password":"[redacted]","a":1}');
  expect(redactor.redact("use tr0ub4dor&3 here")).toBe("use [redacted:DEPLOY_PASSWORD] here");
  expect(redactor.redact('["--password","x"]')).toBe('["--password","[redacted]"]');
  expect(redactor.redact("<a><password>x</password></a>")).toBe("<a><password>[redacted]</password></a>");
});

test("the redactor takes known secrets from the environment of the process unless told otherwise", () => {
  process.env["IKIGAI_TEST_TOKEN"] = "from-the-process-1";
  try {
    expect(createRedactor().redact("from-the-process-1")).toBe("[redacted:IKIGAI_TEST_TOKEN]");
  } finally {
    delete process.env["IKIGAI_TEST_TOKEN"];
  }
});

test("the redactor gives the same result for the same text, however many texts came between", () => {
  const { redact } = createRedactor({ env: { API_TOKEN: "hunter2hunter2" } });
  const first = redact("it is hunter2hunter2");
  for (let number = 0; number < 2_500; number++) expect(redact(`field ${number}`)).toBe(`field ${number}`);
  expect(redact("it is hunter2hunter2")).toBe(first);
  expect(redact("it is hunter2hunter2")).toBe("it is [redacted:API_TOKEN]");
});

const PIECES = [
  "password",
  "token",
  "name",
  "value",
  "=",
  ":",
  '"',
  "\\",
  "[redacted",
  "]",
  "[",
  "<",
  ">",
  "--",
  " ",
  "\n",
  "@",
  "://",
];
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...SECRET_SHAPE_CASES.map(({ text }) => text), ...PIECES), fc.string()))
  .map((parts) => parts.join(""));

test("redacting a redacted text changes nothing", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const once = redactor.redact(text);
      expect(redactor.redact(once)).toBe(once);
    }),
    { numRuns: 1_000 },
  );
});

test("text of JSON stays JSON of the same form", () => {
  const secret = fc.constantFrom(...SECRET_SHAPE_CASES.map(({ text }) => text));
  const leaf = fc.oneof(secret, fc.string(), fc.integer(), fc.constant(null));
  const key = fc.oneof(fc.constantFrom("password", "token", "name", "value", "args", "kind", "data"), fc.string());
  fc.assert(
    fc.property(fc.dictionary(key, fc.oneof(leaf, fc.array(leaf), fc.dictionary(key, leaf))), (value) => {
      const parsed: unknown = JSON.parse(JSON.stringify(redactor.redactValue(value)));
      expect(Object.keys(parsed as object)).toHaveLength(Object.keys(value).length);
      expect(redactor.redactValue(parsed)).toEqual(parsed);
    }),
  );
});
