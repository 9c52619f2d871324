import fc from "fast-check";
import { expect, test } from "vitest";
import { keptRevision, revisionText } from "./revision-text.ts";

test("a text that was changed in one place is kept as that place", () => {
  const newer = `${"a\n".repeat(5_000)}new\n${"b\n".repeat(5_000)}`;
  const older = newer.replace("new", "old");
  const kept = keptRevision(older, newer);
  expect(kept.content).toBe("old");
  expect(revisionText(kept, newer, "a.md")).toBe(older);
});

test("a text that was replaced is kept whole", () => {
  expect(keptRevision("one", "two")).toEqual({ content: "one", kept_start: null, kept_end: null });
});

test("any text is had again from the one that replaced it, and no half of a pair is kept", () => {
  const piece = fc.constantFrom("a", "b", "\n", "\u{1f9e0}", "\u{1f9e1}", "\u{1f5e0}");
  const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(texts, texts, (older, newer) => {
      const kept = keptRevision(older, newer);
      expect(kept.content?.isWellFormed()).toBe(true);
      expect(revisionText(kept, newer, "a.md")).toBe(older);
    }),
    { numRuns: 1_000 },
  );
});

test("a text without the state after it is unavailable, by name", () => {
  const missing = [
    { content: "x", kept_start: 1, kept_end: 0 },
    { content: null, kept_start: null, kept_end: null },
  ];
  for (const kept of missing) {
    expect(() => revisionText(kept, undefined, "a.md")).toThrow("The text of a.md cannot be read");
  }
});
