import { expect, test } from "vitest";
import { toEnvelopeSchema } from "./output-schema.ts";
import { toToolResult } from "./tool-result.ts";
import { visibleText } from "./visible-text.ts";

const plain = { presentation: "text", input: {} } as const;

test("a tool that writes its own text is asked for it, and the host writes it when the tool cannot", () => {
  const data = { content: "a\nb\n", version: "1" };
  const textOf = (toText?: (data: unknown) => string | undefined): unknown =>
    toToolResult({ success: true, data }, { ...plain, card: { ...(toText && { toText }) } }).content[0];
  expect(textOf(() => "own")).toMatchObject({ text: "own" });
  const written = { text: "version: 1\ncontent:\na\nb\n" };
  expect(textOf()).toMatchObject(written);
  expect(textOf(() => undefined)).toMatchObject(written);
  expect(
    textOf(() => {
      throw new Error("cut");
    }),
  ).toMatchObject(written);
});

test("the text of a cut answer ends with how much is shown and where the whole is", () => {
  const truncated = { total_chars: 9, shown_chars: 2, kept: "outputs:///1" };
  const { content } = toToolResult({ success: true, data: "ab", truncated }, plain);
  expect(content).toEqual([
    { type: "text", text: "ab\n[truncated: 2 of 9 characters are shown; the whole is at outputs:///1]" },
  ]);
  const toText = (): { tellsCut: string } => ({ tellsCut: "ab, go on at 3" });
  expect(toToolResult({ success: true, data: {}, truncated }, { ...plain, card: { toText } }).content).toEqual([
    { type: "text", text: "ab, go on at 3" },
  ]);
  const unkept = toToolResult({ success: true, data: "ab\n", truncated: { total_chars: 9, shown_chars: 3 } }, plain);
  expect(unkept.content).toEqual([{ type: "text", text: "ab\n[truncated: 3 of 9 characters are shown]" }]);
});

test("an answer without data still has a text", () => {
  expect(toToolResult({ success: true, data: null }, plain).content).toEqual([{ type: "text", text: "done" }]);
});

test("references inside a wrapped output schema still resolve", () => {
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

test("the text of a question over MCP shows characters that hide text", () => {
  expect(visibleText("a\u202eb\u0007\n", 10)).toBe("a\\u{202e}b\\u{7}\n");
  expect(visibleText("abcdef", 3)).toBe("abc… [3 more characters are not shown]");
});
