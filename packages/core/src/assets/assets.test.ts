import { expect, test } from "vitest";
import { changedAssetDetails, describesAsset, newAssetDetails } from "./asset-details.ts";
import { laterAssetPosition, readAssetPosition, toAssetEvent } from "./asset-feed.ts";
import { assetGuidance } from "./asset-guidance.ts";
import { assertStorableAsset, checkedAssetOwner, checkedAssetPath } from "./asset-names.ts";
import { assertExpectedAsset, assertWritableAsset, noAsset } from "./asset-refusals.ts";

test("the folder of an asset says whether it is a skill, a preference or a block", () => {
  const categories = ["skills/a.md", "preferences/a.md", "prefs/a.md", "blocks/a.md", "a.md"].map(
    (path) => newAssetDetails(path).category,
  );
  expect(categories).toEqual(["skill", "preference", "preference", "block", "block"]);
});

test("only details that get another value are changed", () => {
  const present = newAssetDetails("a.md");
  expect(changedAssetDetails(present, { description: "", archived: false })).toBeUndefined();
  expect(changedAssetDetails(present, { description: "new", archived: false })).toEqual({
    before: { description: "" },
    after: { description: "new" },
  });
});

test("read-only protects description and category, but not the marks read-only and archived", () => {
  expect([{ description: "x" }, { category: "skill" as const }].map(describesAsset)).toEqual([true, true]);
  expect([{ archived: true }, { readOnly: false, description: "x" }].map(describesAsset)).toEqual([false, false]);
});

test("names and texts that no store can keep as they are get invalid_input with the reason", () => {
  expect(checkedAssetPath("blocks/é.md")).toBe("blocks/é.md");
  expect(checkedAssetOwner("e\u0301")).toBe("é");
  expect(() => checkedAssetPath("")).toThrow("The empty path cannot name an asset");
  expect(() => checkedAssetOwner("")).toThrow("The empty owner cannot name an asset");
  expect(() => checkedAssetPath("a\0")).toThrow("a NUL character");
  expect(() => checkedAssetPath("a\ud800")).toThrow("half of a surrogate pair");
  expect(() => checkedAssetPath("é".repeat(513))).toThrow("it has 1026 bytes, 1024 are allowed");
  expect(() => checkedAssetOwner("a".repeat(129))).toThrow("it has 129 bytes, 128 are allowed");
  expect(() => assertStorableAsset("text", "a.md")).not.toThrow();
  expect(() => assertStorableAsset("\0", "a.md")).toThrow('The text for "a.md" contains a NUL character');
});

test("a version other than the expected one is a conflict that says which", () => {
  const current = { version: "2" };
  for (const expected of ["2", undefined]) expect(() => assertExpectedAsset("a", current, expected)).not.toThrow();
  expect(() => assertExpectedAsset("a", undefined, null)).not.toThrow();
  expect(() => assertExpectedAsset("a", current, null)).toThrow('"a" already exists');
  expect(() => assertExpectedAsset("a", current, "1")).toThrow('"a" changed since it was read');
  expect(() => assertExpectedAsset("a", undefined, "1")).toThrow('"a" changed since it was read');
});

test("a read-only asset cannot be changed, and one that is not there is not_found", () => {
  expect(() => assertWritableAsset({ path: "a", readOnly: false }, "removed")).not.toThrow();
  expect(() => assertWritableAsset({ path: "a", readOnly: true }, "removed")).toThrow(
    '"a" is read-only and cannot be removed',
  );
  expect(noAsset("a")).toMatchObject({ code: "not_found", message: 'There is no asset "a"' });
});

test("the later of two positions is the further one of each owner, and other text is no position", () => {
  expect(laterAssetPosition('{"ana":"9","bob":"1"}', '{"ana":"10"}')).toBe('{"ana":"10","bob":"1"}');
  expect(laterAssetPosition('{"ana":"9"}', '{"bob":"1"}')).toBe('{"ana":"9","bob":"1"}');
  for (const odd of ["nonsense", "null", '{"ana":1}', '{"ana":"x"}'])
    expect(() => readAssetPosition(odd), odd).toThrow("is no position of this stream");
});

test("a change is told with whose asset it is, who changed it, and whether this program did", () => {
  const change = { owner: "ana", path: "a.md", change: "updated", version: "3", at: new Date(0) } as const;
  const position = { ana: "3" };
  expect(toAssetEvent({ ...change, position }, "ana", "p")).toEqual({
    cursor: '{"ana":"3"}',
    at: new Date(0),
    text: '"a.md" was updated',
    data: { owner: "ana", path: "a.md", change: "updated", version: "3", own: false },
  });
  const byOther = toAssetEvent({ ...change, position, author: "bob", program: "p" }, "bob", "p");
  expect(byOther).toMatchObject({ text: '"a.md" of ana was updated by bob', data: { own: true } });
});

test("the guidance of stored assets names the mount", () => {
  expect(assetGuidance("ikigai")).toContain("ikigai:///");
});
