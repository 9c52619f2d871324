import type { Effect } from "@ikigai/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { watchRepeats } from "./repeated-calls.ts";
import { batchCalls } from "./schedule-calls.ts";
import { systemPrompt } from "../context/system-prompt.ts";
import { assertRulesKnow, consentLayer, describeRules, keepRules } from "./tool-rules.ts";

const ok = { success: true, data: {} } as const;

describe("batches", () => {
  const effect = (action: Effect["action"], target: string): Effect => ({ action, target });
  const batches = (...effects: (readonly Effect[] | undefined)[]): number[][] =>
    batchCalls(effects.map((one, call) => ({ call, effects: one })));

  test("reads run together, changes of the same place or one inside the other do not", () => {
    expect(batches([effect("read", "file:///a")], [effect("read", "file:///a")], [])).toEqual([[0, 1, 2]]);
    expect(batches([effect("update", "file:///a")], [effect("read", "file:///a")])).toEqual([[0], [1]]);
    expect(batches([effect("delete", "file:///a/")], [effect("read", "file:///a/b")])).toEqual([[0], [1]]);
    expect(batches([effect("update", "file:///a")], [effect("update", "file:///ab")])).toEqual([[0, 1]]);
  });

  test("commands and what is not known run alone", () => {
    expect(batches([], [effect("execute", "make")], [])).toEqual([[0], [1], [2]]);
    expect(batches([], undefined, [])).toEqual([[0], [1], [2]]);
  });

  test("whatever is planned, every call is in one batch, in order", () => {
    const effects = fc.array(
      fc.record({
        action: fc.constantFrom<Effect["action"]>("read", "update", "execute", "network"),
        target: fc.constantFrom("a:///x", "a:///x/y", "b:///z"),
      }),
      { maxLength: 2 },
    );
    fc.assert(
      fc.property(fc.array(fc.option(effects, { nil: undefined }), { maxLength: 12 }), (planned) => {
        expect(batches(...planned).flat()).toEqual(planned.map((_, index) => index));
      }),
    );
  });
});

test("the same arguments in another order are the same call; text that is no JSON is itself", () => {
  const repeats = watchRepeats();
  const call = (input: string) => repeats.count({ id: "x", name: "t", arguments: input });
  expect([call('{"a":1,"b":[2]}'), call('{"b":[2],"a":1}'), call("{"), call("{"), call('{"a":1}')]).toEqual([
    1, 2, 1, 2, 1,
  ]);
});

describe("rules", () => {
  test("a cooldown outlives the turn and says how long", () => {
    let now = 0;
    const state = new Map<string, number>();
    const first = keepRules({ cooldown: { x: 10 } }, state, () => now);
    first.begin("x");
    first.end("x", { success: false, error: "no", code: "internal" });
    now = 4_000;
    const second = keepRules({ cooldown: { x: 10 } }, state, () => now);
    expect(second.shows("x")).toBe(false);
    expect(second.refuse("x")).toMatchObject({ error: expect.stringContaining("in 6 s") });
    now = 10_000;
    expect(second.refuse("x")).toBeUndefined();
  });

  test("each step decides anew whether the turn is over", () => {
    const keeper = keepRules({ exit_loop: ["x"] }, new Map(), () => 0);
    keeper.end("x", ok);
    expect(keeper.exits).toBe(true);
    keeper.beginStep();
    expect(keeper.exits).toBe(false);
  });

  test("every rule is told to the model, and none when there are none", () => {
    expect(describeRules({})).toBe("");
    expect(
      describeRules({
        max_calls: { a: 1 },
        cooldown: { b: 2 },
        ordering: { c: ["a", "b"] },
        requires_consent: ["d"],
        exit_loop: ["e"],
        continue_loop: ["h"],
        allowed_operations: { f: ["read"], g: [] },
      }).split("\n"),
    ).toEqual([
      "## Rules for tools",
      "",
      "- a: at most 1 calls in a turn.",
      "- b: wait 2 s between two calls.",
      "- c: only after a, b.",
      "- d: the user is asked each time.",
      "- e: ends the turn, so call it last.",
      "- h: the turn goes on after it, so look at what it gave.",
      "- f: only read.",
    ]);
  });

  test("consent asks a person, for the agent and the tool that the rule names", async () => {
    const layer = consentLayer((agent) => (agent === "shy" ? { requires_consent: ["bash"] } : {}));
    const judge = (agent: string, tool: string) =>
      layer.judge({ action: "read", target: "x" }, { agent, tool, conversation: "c" });
    expect(judge("shy", "bash")).toMatchObject({ decision: "ask", needs: "person" });
    expect(judge("shy", "grep")).toBeUndefined();
    expect(judge("bold", "bash")).toBeUndefined();
    expect(layer.judgeCall?.({ agent: "shy", tool: "bash", conversation: "c" })).toMatchObject({ needs: "person" });
  });

  test("a rule for a tool that does not exist is refused, since it would protect nothing", () => {
    expect(() => assertRulesKnow({ max_calls: { a: 1 }, exit_loop: ["b"] }, ["a", "b"])).not.toThrow();
    expect(() => assertRulesKnow({ requires_consent: ["c"] }, ["a", "b"])).toThrow('"c"');
  });
});

test("the system prompt names no tool that is not there", () => {
  const card = (name: string) => ({ name, description: "d", inputSchema: {} });
  const sources = [
    {
      mount: "file",
      name: "file",
      kind: "block" as const,
      capabilities: [],
      tools: [],
      permission: "admin" as const,
      state: "mounted" as const,
      guidance: "A folder.",
    },
    {
      mount: "news",
      name: "news",
      kind: "stream" as const,
      capabilities: [],
      tools: [],
      permission: "admin" as const,
      state: "running" as const,
    },
  ];
  const bare = systemPrompt({ sources: [], cards: [] });
  expect(bare).not.toMatch(/file_|\/compact/);
  const reading = systemPrompt({ sources, cards: [card("file_read")], budget: { used: 1, limit: 100 } });
  expect(reading).toContain("Mounted are: `file:///`.");
  expect(reading).toContain("### file:///\n\nA folder.");
  expect(reading).not.toMatch(/file_write|\/compact/);
  const all = systemPrompt({
    sources,
    cards: ["file_read", "file_write", "slash_command"].map(card),
    budget: { used: 1, limit: 100 },
    rules: "## Rules",
  });
  expect(all).toMatch(/file_read, file_write work on[\s\S]*Read a text before[\s\S]*\/compact[\s\S]*## Rules$/);
});
