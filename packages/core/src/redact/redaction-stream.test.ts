import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor } from "./redactor.ts";
import { letters, SECRET_SHAPE_CASES } from "./secret-corpus.test.helper.ts";

const redactor = createRedactor({ env: {} });

function inPieces(text: string, cuts: readonly number[]): string {
  const stream = redactor.stream();
  let result = "";
  let from = 0;
  for (const cut of cuts.toSorted((a, b) => a - b)) {
    result += stream.push(text.slice(from, cut));
    from = Math.max(from, cut);
  }
  return result + stream.push(text.slice(from)) + stream.end();
}

const shapes = SECRET_SHAPE_CASES.filter(({ text, secret }) => !redactor.redact(text).includes(secret));

test("a secret is gone wherever the text is cut, also in its middle and far into the text", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...shapes),
      fc.nat(200_000),
      fc.array(fc.nat(220_000), { maxLength: 20 }),
      (shape, before, cuts) => {
        const line = "an ordinary line of a log, number by number\n";
        const text = `${line.repeat(Math.ceil(before / line.length))}${shape.text}\n${line.repeat(500)}`;
        const whole = inPieces(text, [
          ...cuts,
          Math.ceil(before / line.length) * line.length + Math.floor(shape.text.length / 2),
        ]);
        expect(whole).not.toContain(shape.secret);
        expect(whole).toBe(redactor.redact(text));
      },
    ),
    { numRuns: 60 },
  );
});

test("text without line breaks is given on before it ends", () => {
  const stream = redactor.stream();
  const text = "word ".repeat(40_000);
  const first = stream.push(text);
  expect(first.length).toBeGreaterThan(0);
  expect(first + stream.end()).toBe(text);
});

test("a private key that goes on for pieces leaves nothing of it", () => {
  const stream = redactor.stream();
  let result = stream.push("before\n-----BEGIN PRIVATE KEY-----\n");
  for (let piece = 0; piece < 300; piece++) result += stream.push(`${letters(64)}\n`.repeat(100));
  result += stream.push("-----END PRIVATE KEY-----\nafter\n") + stream.end();
  expect(result).not.toContain(letters(20));
  expect(result).toMatch(/^before\n/);
  expect(result).toMatch(/after\n$/);
});
