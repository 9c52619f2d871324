import { createRedactor } from "@ikigai/core/redact";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { redactShort } from "./redact-short.ts";

const KEY = `ghp_${"aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0z".repeat(2).slice(0, 36)}`;
const redact = redactShort(createRedactor({ env: {} }));

test("an audit row keeps the beginning of a long text, with its length", () => {
  const { content, path, lines } = redact({ content: "x".repeat(1_000_000), path: "a.md", lines: [1, null] }) as Record<
    string,
    unknown
  >;
  expect(content).toBe(`${"x".repeat(4_000)}… (1000000 characters)`);
  expect({ path, lines }).toEqual({ path: "a.md", lines: [1, null] });
});

test("a secret is gone wherever it stands in a text, however long the text is", () => {
  fc.assert(
    fc.property(fc.nat(9_000), fc.nat(5_000), (before, behind) => {
      const text = `${"word ".repeat(before).slice(0, before)} ${KEY} ${"x".repeat(behind)}`;
      const kept = JSON.stringify(redact({ list: [text] }));
      expect(kept).not.toContain(KEY.slice(0, 12));
    }),
  );
});
