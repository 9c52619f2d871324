import type { Envelope } from "@ikigai/core";
import { createPolicy, createToolRegistry } from "@ikigai/core/host";
import { describe, expect, test } from "vitest";
import { createMemoryRecall } from "./memory/memory-recall.ts";
import { createRecallTool, type InsertData, type SearchData } from "./recall-tool.ts";

const now = (): Date => new Date("2024-06-15T12:00:00Z");

function setUp(): (input: Record<string, unknown>, agent?: string) => Promise<Envelope> {
  const registry = createToolRegistry({ policy: createPolicy({ mode: () => "all" }) });
  registry.register([createRecallTool(createMemoryRecall(), { now })]);
  return (input, agent = "ann") => registry.call({ name: "recall", arguments: input }, { agent, conversation: "c1" });
}

function inserted(envelope: Envelope): InsertData {
  return succeeded(envelope) as InsertData;
}

function results(envelope: Envelope): SearchData["results"] {
  return (succeeded(envelope) as SearchData).results;
}

function succeeded(envelope: Envelope): unknown {
  if (!envelope.success) throw new Error(envelope.error);
  return envelope.data;
}

describe("the recall tool", () => {
  test("insert gives an id, search gives it back with all that was said about it", async () => {
    const call = setUp();
    const { id, stored } = inserted(
      await call({
        op: "insert",
        content: "The launch moved to Friday.",
        metadata: { project: "apollo" },
        thread: "standup",
        order: 3,
        occurred_at: "2024-06-10T09:00",
      }),
    );
    expect(stored).toBe(true);
    expect(results(await call({ op: "search", query: "When is the launch?" }))).toEqual([
      {
        id,
        kind: "entry",
        label: "The launch moved to Friday.",
        content: "The launch moved to Friday.",
        score: expect.any(Number) as number,
        created_at: "2024-06-15T12:00:00.000Z",
        metadata: { project: "apollo" },
        why: { words: ["launch"], also: [] },
        provenance: { agent: "ann", conversation: "c1", tool: "recall" },
        address: `recall:///entries/${id}`,
        thread: "standup",
        order: 3,
        occurred_at: "2024-06-10T09:00:00.000Z",
      },
    ]);
  });

  test("each agent has an archive of its own", async () => {
    const call = setUp();
    await call({ op: "insert", content: "a secret" }, "ann");
    expect(results(await call({ op: "search", query: "secret" }, "ben"))).toEqual([]);
  });

  test("what is known is not stored again, and the model is told", async () => {
    const call = setUp();
    const first = inserted(await call({ op: "insert", content: "Tea at four." }));
    const again = inserted(await call({ op: "insert", content: "Tea at four." }));
    const quoted = inserted(await call({ op: "insert", content: "> Tea at four." }));
    expect(again).toEqual({
      id: first.id,
      stored: false,
      message: `Entry ${first.id} has this content already; nothing was stored.`,
    });
    expect(quoted.message).toContain("came from recall");
  });

  test("supersedes corrects an entry", async () => {
    const call = setUp();
    const { id: old } = inserted(await call({ op: "insert", content: "Tea at four." }));
    const { id, message } = inserted(await call({ op: "insert", content: "Tea at five.", supersedes: old }));
    expect(message).toBe(`Stored as entry ${id}. It takes the place of entry ${old}.`);
    expect(
      results(await call({ op: "search", query: "tea" })).map(({ content, supersedes }) => [content, supersedes]),
    ).toEqual([["Tea at five.", old]]);
    expect(await call({ op: "insert", content: "Tea at six.", supersedes: old })).toMatchObject({ code: "conflict" });
  });

  test("filters, times and scopes reach the store", async () => {
    const call = setUp();
    await call({ op: "insert", content: "red apple", metadata: { n: 1 }, occurred_at: "2024-01-01" });
    await call({ op: "insert", content: "green apple", metadata: { n: 2 }, occurred_at: "2024-03-01T00:00:00+02:00" });
    const found = async (more: object): Promise<string[]> =>
      results(await call({ op: "search", query: "apple", ...more })).map(({ content }) => content);
    expect(await found({ filter: { n: { gte: 2 } } })).toEqual(["green apple"]);
    expect(await found({ since: "2024-02-01" })).toEqual(["green apple"]);
    expect(await found({ until: "2024-02-01" })).toEqual(["red apple"]);
    expect(await found({ limit: 1 })).toHaveLength(1);
    expect(await found({ scope: "assets" })).toEqual([]);
    expect(await found({ scope: "all" })).toHaveLength(2);
  });

  test.each([
    [{ op: "insert" }, 'needs "content"'],
    [{ op: "search" }, 'needs "query"'],
    [{ op: "insert", content: "x", query: "y" }, '"query" belongs to search'],
    [{ op: "search", query: "x", content: "y" }, '"content" belongs to insert'],
    [{ op: "erase", id: "1" }, "unknown field"],
    [{ op: "search", query: "x", since: "last week" }, "not an ISO 8601 date"],
    [{ op: "search", query: "x", since: "2024-13-40" }, "no such date"],
    [{ op: "search", query: "x", filter: { a: { like: "y" } } }, "filter"],
    [{ op: "insert", content: "" }, "empty"],
  ])("%j is refused", async (input, message) => {
    const envelope = await setUp()(input);
    expect(envelope).toMatchObject({ success: false, code: "invalid_input" });
    expect(envelope.success ? "" : envelope.error).toContain(message);
  });

  test("effects name exactly what a call touches", async () => {
    const tool = createRecallTool(createMemoryRecall());
    const context = {
      agent: "a",
      conversation: "c",
      callId: "1",
      tool: "recall",
      signal: new AbortController().signal,
    };
    expect(await tool.effects({ op: "insert", content: "x" }, context)).toEqual([
      { action: "create", target: "recall:///entries" },
    ]);
    expect(await tool.effects({ op: "insert", content: "x", supersedes: "7" }, context)).toEqual([
      { action: "create", target: "recall:///entries" },
      { action: "update", target: "recall:///entries/7" },
    ]);
    expect(await tool.effects({ op: "search", query: "x", scope: "entries" }, context)).toEqual([
      { action: "read", target: "recall:///entries" },
    ]);
    expect(await tool.effects({ op: "search", query: "x" }, context)).toHaveLength(4);
  });
});
