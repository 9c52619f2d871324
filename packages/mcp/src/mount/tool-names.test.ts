import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createBackOff } from "./back-off.ts";
import { cleanText } from "./clean-text.ts";
import { foreignInput } from "./foreign-schema.ts";
import { resourcePaths } from "./resource-paths.ts";
import { toolNames } from "./tool-names.ts";

test("every foreign name becomes one that is allowed and unique", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ unit: "grapheme", maxLength: 100 })), (tools) => {
      const names = [...toolNames("my-server", tools).values()];
      expect(new Set(names).size).toBe(tools.length);
      for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
    }),
  );
});

test("every foreign URI becomes a path of its own", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.oneof(fc.webUrl(), fc.string({ unit: "binary" }))), (uris) => {
      const paths = resourcePaths(uris);
      expect([...paths.values()].toSorted()).toEqual([...uris].toSorted());
      for (const path of paths.keys()) {
        expect(path.split("/").every((part) => part !== "" && part !== "." && part !== "..")).toBe(true);
        expect(path).not.toMatch(/[\0\\]/);
        expect(path.isWellFormed()).toBe(true);
      }
    }),
  );
});

test("a URI that cannot be decoded keeps its percent signs", () => {
  expect([...resourcePaths(["notes://100%/a", "plain"]).keys()]).toEqual(["notes/100%/a", "plain"]);
});

test("foreign text loses what cannot be seen and what is too much", () => {
  expect(cleanText(" a\u{e0041}\u202e\u0000b\n ", 10)).toBe("ab");
  expect(cleanText("abcdef", 4)).toBe("abc…");
});

test("pauses double up to the limit and start over after a stable run", () => {
  let time = 0;
  const backOff = createBackOff({ firstMs: 10, maxMs: 50, stableMs: 1_000, now: () => time });
  expect([backOff.died(), backOff.died(), backOff.died(), backOff.died()]).toEqual([10, 20, 40, 50]);
  backOff.started();
  time += 999;
  expect(backOff.died()).toBe(50);
  backOff.started();
  time += 1_000;
  expect(backOff.died()).toBe(10);
});

test("an input schema is closed only where the other side says so", () => {
  const json = (schema: Record<string, unknown>): unknown =>
    foreignInput({ type: "object", ...schema }).schema["~standard"].jsonSchema.input({ target: "draft-2020-12" });
  expect(json({})).toMatchObject({ additionalProperties: true });
  expect(json({ additionalProperties: false })).toMatchObject({ additionalProperties: false });
  expect(json({ additionalProperties: false, patternProperties: {} })).toMatchObject({ additionalProperties: true });
  expect(() => foreignInput({ type: "array" })).toThrow("does not describe an object");
  const { schema } = foreignInput({ type: "object", $ref: "#/$defs/a", $defs: { a: { type: "object" } } });
  expect(schema["~standard"].jsonSchema.output({ target: "draft-2020-12" })).toMatchObject({
    properties: { input: { $ref: "#/properties/input/$defs/a" } },
  });
});
