import { expect, test } from "vitest";
import { excerptOf } from "./excerpt.ts";
import { createMemoryRecall } from "./memory/memory-recall.ts";
import { type Original, refreshCopies } from "./refresh-copies.ts";

const ME = { owner: "ann" };

test("copies become what their originals are, and only what changed is loaded", async () => {
  const store = createMemoryRecall();
  const loaded: string[] = [];
  const original = (address: string, version: string, content: string | undefined): Original => ({
    address,
    version,
    async load() {
      loaded.push(address);
      return content === undefined ? undefined : { content };
    },
  });
  const refresh = (...originals: Original[]): Promise<void> => refreshCopies(store, "asset", originals, ME);
  await refresh(original("a", "1", "alpha"), original("b", "1", "beta"), original("c", "1", "  "));
  expect([...(await store.copies("asset", ME))]).toEqual([
    ["a", "1"],
    ["b", "1"],
  ]);
  loaded.length = 0;
  await refresh(original("a", "1", "alpha"), original("b", "2", "gamma"));
  expect(loaded).toEqual(["b"]);
  expect(await store.search({ query: "beta", kinds: ["asset"] }, ME)).toEqual([]);
  await refresh(original("b", "3", undefined));
  expect((await store.copies("asset", ME)).size).toBe(0);
});

test("many originals, and long ones, are copied in parts", async () => {
  const store = createMemoryRecall();
  const many = Array.from({ length: 120 }, (_, i): Original => {
    const content = i === 7 ? `${"x".repeat(99_999)}😀 end` : `text ${i}`;
    return { address: `a${i}`, version: "1", load: async () => ({ content }) };
  });
  await refreshCopies(store, "turn", many, ME);
  expect((await store.copies("turn", ME)).size).toBe(120);
});

test("a short text is given whole, a long one as the part that has most of the words", () => {
  expect(excerptOf("short", ["short"])).toBeUndefined();
  const lines = Array.from({ length: 300 }, (_, i) => `line ${i} of a long text`);
  lines[200] = "the Gärten of the castle";
  const found = excerptOf(lines.join("\n"), ["garten", "castle"]);
  expect(found?.text).toContain("Gärten");
  expect(found?.total_lines).toBe(300);
  const one = excerptOf(`${"a ".repeat(2_000)}needle${" b".repeat(2_000)}`, ["needles"]);
  expect(one?.text).toContain("needle");
  expect(one?.text.length).toBeLessThanOrEqual(1_200);
  expect(excerptOf("word ".repeat(1_000), [])?.start_line).toBe(1);
});
