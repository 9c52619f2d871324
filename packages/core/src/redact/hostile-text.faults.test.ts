import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor } from "./redactor.ts";
import { SECRET_SHAPE_CASES } from "./secret-corpus.test.helper.ts";

const { redact } = createRedactor({ env: { API_TOKEN: "aaaaaaaaaaaa1" } });

/** Pieces that begin what a finder looks for and never end it. */
const PIECES = [
  "eyJ",
  "eyJaaaaaaaa.",
  "a://",
  "a://b:",
  "a://b:c@",
  "http%3A%2F%2Fa%3A",
  "password=",
  'password:["',
  "password: |\n  <",
  '"name":"password"',
  '"value":"x","name":"password",',
  "cookie: a=",
  "authorization: digest ",
  "token:",
  "--password ",
  '"--password", ',
  "<password ",
  "<password>",
  "&lt;password&gt;",
  "<input ",
  "-----BEGIN RSA PRIVATE KEY-----",
  "-----BEGIN A ",
  "sk-",
  "SG.",
  "bearer ",
  "curl -u ",
  "mysql -p",
  "echo a | ",
  "kind: Secret\ndata: ",
  "kind: Secret\n---\n",
  "login a password ",
  "*:*:a:",
  "=",
  "\\",
  '\\"',
  "AKIA",
  "1234567890:AA",
  "aaaaaaaaaaaa",
  'variable "password" { ',
  "set password for a ",
];

/** Processor seconds that a text takes. */
function secondsFor(text: string): number {
  const before = process.cpuUsage();
  redact(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** How much longer a text takes that is eight times as long: about 8, and 64 were it by the square. */
function growth(piece: string): number {
  const text = (length: number): string => piece.repeat(Math.ceil(length / piece.length));
  const least = (length: number): number => Math.min(secondsFor(text(length)), secondsFor(text(length)));
  return least(160_000) / Math.max(least(20_000), 0.002);
}

test.each(PIECES)("much of %j takes time in proportion to its length", (piece) => {
  expect(growth(piece)).toBeLessThan(32);
});

test("repeated fragments of secrets, whatever they are made of, take time in proportion to their length", () => {
  const fragment = fc
    .array(fc.tuple(fc.constantFrom(...PIECES, ...SECRET_SHAPE_CASES.map(({ text }) => text)), fc.nat(40)), {
      minLength: 1,
      maxLength: 3,
    })
    .map((parts) => parts.map(([text, end]) => text.slice(0, end + 1)).join(""));
  fc.assert(
    fc.property(fragment, (piece) => {
      expect(growth(piece), piece).toBeLessThan(32);
    }),
    { numRuns: 25 },
  );
});
