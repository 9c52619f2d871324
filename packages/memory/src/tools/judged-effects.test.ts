import { expect, test } from "vitest";
import { assertJudged, effectsBeyond } from "./judged-effects.ts";

const read = { action: "read", target: "file:///a" } as const;
const remove = { action: "delete", target: "file:///a" } as const;

test("effects that were judged, in whatever order, are not beyond", () => {
  expect(effectsBeyond([read, remove], [remove, read])).toEqual([]);
  expect(effectsBeyond([read], [read, remove])).toEqual([remove]);
  expect(() => assertJudged("undo", [read, remove], [remove])).not.toThrow();
});

test("an effect that was not judged is a conflict that names what was judged and what would happen now", () => {
  expect(() => assertJudged("undo", [read], [read, remove])).toThrow(
    "undo was judged to read file:///a, and would delete file:///a now; nothing was done",
  );
});
