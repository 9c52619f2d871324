import { expect, test } from "vitest";
import { toEnvelopeSchema } from "./output-schema.ts";
import { presentationFor } from "./presentation.ts";
import { toToolResult } from "./tool-result.ts";
import { visibleText } from "./visible-text.ts";

const large = { success: true as const, data: { text: "x".repeat(5_000) } };

test("a large result stands in exactly one place", () => {
  for (const presentation of ["structured", "text"] as const) {
    for (const hasOutputSchema of [true, false]) {
      const result = JSON.stringify(toToolResult(large, { presentation, hasOutputSchema }));
      expect(result.split("x".repeat(5_000))).toHaveLength(2);
    }
  }
});

test("a tool that promised structured content keeps the promise", () => {
  expect(toToolResult(large, { presentation: "text", hasOutputSchema: true }).structuredContent).toEqual(large);
});

test("where results go follows from the client", () => {
  const client = (name: string) => ({ name, version: "1" });
  expect(presentationFor(undefined, undefined)).toBe("structured");
  expect(presentationFor(client("claude-code"), "2025-11-25")).toBe("structured");
  expect(presentationFor(client("claude-code"), "2025-03-26")).toBe("text");
  expect(presentationFor(client("Zed"), "2025-11-25")).toBe("text");
});

test("references of an output schema still lead somewhere", () => {
  const schema = toEnvelopeSchema({
    type: "object",
    $defs: { leaf: { type: "string", default: { $ref: "#" } } },
    properties: { self: { $ref: "#" }, leaves: { items: [{ $ref: "#/$defs/leaf" }] }, out: { $ref: "http://x" } },
  });
  const text = JSON.stringify(schema);
  expect(text).toContain('"self":{"$ref":"#/properties/data/anyOf/0"}');
  expect(text).toContain('"$ref":"#/properties/data/anyOf/0/$defs/leaf"');
  expect(text).toContain('"default":{"$ref":"#"}');
  expect(text).toContain('"$ref":"http://x"');
});

test("what a person approves shows what it hides", () => {
  expect(visibleText("a\u202eb\u0007\n", 10)).toBe("a\\u{202e}b\\u{7}\n");
  expect(visibleText("abcdef", 3)).toBe("abc… [3 more characters are not shown]");
});
