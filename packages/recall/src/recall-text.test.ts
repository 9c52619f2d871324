import { expect, test } from "vitest";
import { recallText } from "./recall-text.ts";

test("results are texts below a line that says where each is from", () => {
  const results = [
    {
      id: "e1",
      kind: "entry",
      content: "The office\nis in Linz.",
      created_at: "2026-01-02T10:00:00.000Z",
      metadata: { year: 2026, who: "Ada" },
    },
    {
      id: "x",
      kind: "asset",
      content: "Linz",
      address: "ikigai:///blocks/a.md",
      excerpt: { start_line: 4, total_lines: 9 },
      occurred_at: "2025-05-06T00:00:00.000Z",
      created_at: "2026-01-02T10:00:00.000Z",
    },
  ];
  expect(recallText({ results, notes: ["blocks may be out of date"] })).toBe(
    "1. entry e1, 2026-01-02, year: 2026, who: Ada\nThe office\nis in Linz.\n\n" +
      "2. asset ikigai:///blocks/a.md, 2025-05-06, from line 4 of 9\nLinz\n\n" +
      "[blocks may be out of date]",
  );
});

test("an insert is its message, and a search without results says so", () => {
  expect(recallText({ id: "e1", stored: true, message: "Stored as entry e1." })).toBe("Stored as entry e1.");
  expect(recallText({ results: [] })).toBe("Nothing was found.");
  expect(recallText({ results: [{}] })).toBe("1. entry \n");
});
