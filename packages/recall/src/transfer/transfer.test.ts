import { IkigaiError } from "@ikigai/core";
import { describe, expect, test } from "vitest";
import type { RecallStore } from "../contract.ts";
import { createMemoryRecall } from "../memory/memory-recall.ts";
import { exportEntries, type ExportOptions } from "./export-entries.ts";
import { importEntries, type ImportProgress } from "./import-entries.ts";

const ME = { owner: "ann", now: new Date("2024-06-15T12:00:00Z") };

async function exported(store: RecallStore, options: Partial<ExportOptions> = {}): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportEntries(store, { ...ME, ...options })) lines.push(line);
  return lines;
}

describe("export and import", () => {
  test("what was exported is imported as it was, corrections and all", async () => {
    const store = createMemoryRecall();
    const [old] = await store.insert(
      [
        {
          content: "Tea at four.",
          metadata: { a: [1] },
          thread: "t",
          order: 2,
          occurredAt: new Date("2024-01-01T00:00:00Z"),
        },
        { content: "Forget me." },
      ],
      ME,
    );
    await store.insert([{ content: "Tea at five.", supersedes: old?.id ?? "" }], ME);
    await store.erase("2", { by: "ann" }, ME);
    const copy = createMemoryRecall();
    const progress = await importEntries(copy, await exported(store), ME);
    expect(progress).toEqual({ line: 3, stored: 2, recognised: 0 });
    const [first, second] = await copy.scan({}, ME);
    expect(first).toMatchObject({
      content: "Tea at four.",
      metadata: { a: [1] },
      thread: "t",
      order: 2,
      supersededBy: second?.id,
    });
    expect(first?.occurredAt).toEqual(new Date("2024-01-01T00:00:00Z"));
    expect(first?.provenance).toEqual({ imported_id: "1", imported_created_at: "2024-06-15T12:00:00.000Z" });
    expect(second).toMatchObject({ content: "Tea at five.", supersedes: first?.id });
    expect((await copy.search({ query: "tea" }, ME)).map(({ content }) => content)).toEqual(["Tea at five."]);
    expect(await importEntries(copy, await exported(store), ME)).toEqual({ line: 3, stored: 0, recognised: 2 });
    expect(await copy.scan({}, ME)).toHaveLength(2);
  });

  test("a second run stores nothing, a resumed one continues after a line", async () => {
    const store = createMemoryRecall();
    const lines = Array.from({ length: 7 }, (_, i) => JSON.stringify({ content: `line ${i}` }));
    const seen: ImportProgress[] = [];
    await importEntries(store, lines.slice(0, 4), { ...ME, batch: 3, onProgress: (progress) => seen.push(progress) });
    expect(seen.map(({ line, stored }) => [line, stored])).toEqual([
      [3, 3],
      [4, 4],
    ]);
    expect(await importEntries(store, lines, { ...ME, afterLine: 4 })).toEqual({ line: 7, stored: 3, recognised: 0 });
    expect(await importEntries(store, lines, ME)).toEqual({ line: 7, stored: 0, recognised: 7 });
  });

  test("a correction is taken in although the corrected line was imported before", async () => {
    const lines = [
      '{"id":"1","content":"Tea at four.","superseded_by":"2"}',
      '{"id":"2","content":"Tea at five.","supersedes":"1"}',
    ];
    const store = createMemoryRecall();
    await importEntries(store, lines.slice(0, 1), ME);
    expect(await importEntries(store, lines, { ...ME, afterLine: 1 })).toEqual({ line: 2, stored: 1, recognised: 1 });
    expect((await store.search({ query: "tea" }, ME)).map(({ content }) => content)).toEqual(["Tea at five."]);
  });

  test("a bad line is named, and everything before it is stored", async () => {
    for (const bad of ["{", "7", '{"text":"x"}', '{"content":"x","occurred_at":"soon"}', "[]"]) {
      const store = createMemoryRecall();
      const error: unknown = await importEntries(store, ['"one"', "", '"two"', bad, '"three"'], ME).catch(
        (e: unknown) => e,
      );
      expect(IkigaiError.is(error, "invalid_input") && error.message).toContain("Line 4");
      expect((await store.scan({}, ME)).map(({ content }) => content)).toEqual(["one", "two"]);
    }
  });

  test("an import stops when it is aborted", async () => {
    const signal = AbortSignal.abort(new Error("stop"));
    await expect(importEntries(createMemoryRecall(), ['"a"'], { ...ME, signal })).rejects.toThrow("stop");
    await expect(exported(createMemoryRecall(), { signal })).rejects.toThrow("stop");
  });

  test("the MCP memory server's file comes in and goes out the same", async () => {
    const file = [
      { type: "entity", name: "Anna", entityType: "person", observations: ["likes pears", "works in Oslo"] },
      { type: "entity", name: "Acme", entityType: "company", observations: [] },
      { type: "relation", from: "Anna", to: "Acme", relationType: "works_at" },
    ].map((line) => JSON.stringify(line));
    const store = createMemoryRecall();
    expect(await importEntries(store, file, ME)).toEqual({ line: 3, stored: 4, recognised: 0 });
    expect((await store.search({ query: "Anna pears" }, ME))[0]?.content).toBe("Anna: likes pears");
    expect((await store.search({ query: "who works at Acme" }, ME))[0]?.content).toBe("Anna works at Acme");
    const [wrong] = await store.insert([{ content: "a note of another kind" }, { content: "obsolete" }], ME);
    await store.insert([{ content: "corrected", supersedes: wrong?.id ?? "" }], ME);
    const lines = await exported(store, { format: "mcp-memory" });
    expect(lines.filter((line) => !line.includes("recall_entry"))).toEqual(file);
  });

  test("plain entries go out to the MCP memory server, and are recognised when they come back", async () => {
    const store = createMemoryRecall();
    const [old] = await store.insert([{ content: "Tea at four." }, { content: "Ann likes pears." }], ME);
    const [tea] = await store.insert([{ content: "Tea at five.", supersedes: old?.id ?? "" }], ME);
    const lines = await exported(store, { format: "mcp-memory" });
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { type: "entity", name: "recall entry 2", entityType: "recall_entry", observations: ["Ann likes pears."] },
      { type: "entity", name: `recall entry ${tea?.id}`, entityType: "recall_entry", observations: ["Tea at five."] },
    ]);
    expect(await importEntries(store, lines, ME)).toEqual({ line: 2, stored: 0, recognised: 2 });
    expect(await importEntries(createMemoryRecall(), lines, ME)).toMatchObject({ stored: 2 });
  });

  test("an import run again recognises the same words at each place and time", async () => {
    const store = createMemoryRecall();
    const lines = [1, 2].map((order) => JSON.stringify({ content: "Yes.", thread: "t", order }));
    expect(await importEntries(store, lines, ME)).toMatchObject({ stored: 2 });
    expect(await importEntries(store, await exported(store), ME)).toMatchObject({ stored: 0, recognised: 2 });
  });

  test("an export continues after an id", async () => {
    const store = createMemoryRecall();
    await store.insert([{ content: "a1" }, { content: "b2" }], ME);
    expect(
      (await exported(store, { after: "1" })).map((line) => (JSON.parse(line) as { content: string }).content),
    ).toEqual(["b2"]);
  });
});
