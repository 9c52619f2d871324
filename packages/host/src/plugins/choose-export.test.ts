import { defineDataBlock, defineDataStream } from "@ikigai/core";
import { definePart } from "@ikigai/core/host";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { chooseExport, kindOfExports } from "./choose-export.ts";

const options = z.strictObject({});
const block = defineDataBlock({ name: "b", capabilities: [], options, open: async () => ({}) as never });
const stream = defineDataStream({ name: "s", capabilities: [], options, open: async () => ({}) as never });
const part = definePart({ name: "p", options, open: async () => ({}) });

test.each([
  ["the only source", { block, part }, "source", block],
  ["the only part", { block, stream, part }, "part", part],
  ["the only source of text beside streams", { stream, block, other: stream }, "source", block],
  ["a stream that is alone", { stream }, "source", stream],
] as const)("%s is meant without a name", (_, loaded, wanted, meant) => {
  expect(chooseExport("x", loaded, { wanted }).definition).toBe(meant);
});

test.each([
  [{ a: part, b: part }, "part", "it exports 2 part definitions, not one", 'Name one of a, b, as in "x#a".'],
  [{ block }, "part", "it exports 0 part definitions, not one, but a source", 'Name it under "sources"'],
  [{ part }, "source", "it exports 0 source definitions, not one, but a part", 'Name it under "parts"'],
  [{ nothing: 1 }, "part", "it exports 0 part definitions, not one", "what definePart returns"],
] as const)("%j as a %s is refused with what there is instead", (loaded, wanted, what, hint) => {
  expect(chooseExport("x", loaded, { wanted })).toEqual({ what, hint: expect.stringContaining(hint) });
});

test("the export that is named is chosen, and one of another kind never", () => {
  expect(chooseExport("x", { one: part, two: part }, { wanted: "part", exportName: "two" }).definition).toBe(part);
  expect(chooseExport("x", { one: part, block }, { wanted: "part", exportName: "block" })).toEqual({
    what: "it exports no part definition called block",
    hint: "It exports: one.",
  });
});

test.each([
  [{ block, part }, undefined, "source"],
  [{ block, part }, "part", "part"],
  [{ part }, undefined, "part"],
  [{ a: part, b: part }, undefined, "part"],
  [{ a: part, b: part }, "nope", "part"],
  [{ a: block, b: block, part }, "nope", "source"],
  [{ nothing: 1 }, undefined, "source"],
] as const)("the exports %j, of which %s is meant, belong to the %ss", (loaded, exportName, kind) => {
  expect(kindOfExports("x", loaded, exportName)).toBe(kind);
});

test("whatever else a module exports, nothing of it is taken for a definition", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.anything()), fc.constantFrom("source", "part"), (loaded, wanted) => {
      expect(chooseExport("x", loaded, { wanted }).definition).toBeUndefined();
      expect(chooseExport("x", { ...loaded, part, block }, { wanted }).definition).toBe(
        wanted === "part" ? part : block,
      );
    }),
  );
});
