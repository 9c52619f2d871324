import { parseAddress } from "@ikigai/core";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseResourceUri, toResourceUri } from "./resource-uri.ts";

test("every address survives the way to a URI and back", () => {
  const segment = fc
    .string({ minLength: 1, unit: "grapheme" })
    .filter((text) => !/[/\\\0]/.test(text) && text !== "." && text !== ".." && text.isWellFormed());
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.nat(), (segments, offset) => {
      const address = parseAddress(`memory:///${segments.join("/")}`, "");
      const uri = toResourceUri(address, offset);
      expect(URL.canParse(uri)).toBe(true);
      expect(uri).toMatch(/^[\x21-\x7e]+$/);
      expect(parseResourceUri(uri)).toEqual({ address, offset });
    }),
  );
});

test("a URI that is no resource is refused", () => {
  for (const uri of [
    "",
    "a.md",
    "memory://a",
    "memory:///",
    "memory:///a?x=1",
    "memory:///a?offset=-1",
    "memory:///%",
  ]) {
    expect(() => parseResourceUri(uri)).toThrow(expect.objectContaining({ code: "invalid_input" }) as Error);
  }
  expect(() => parseResourceUri("memory:///%2e%2e/a")).toThrow("leaves its root");
});
