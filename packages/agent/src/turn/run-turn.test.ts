import { defineTool } from "@ikigai/core";
import { createToolRegistry } from "@ikigai/core/host";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Message } from "../messages.ts";
import { runAgainst } from "../testing/harness.ts";
import type { NormalisedRequest } from "../testing/normalised-request.ts";

const results = ({ turns }: NormalisedRequest): string[] =>
  turns.flatMap((turn) => (turn.role === "result" ? [turn.text] : []));

describe.each(["openai", "anthropic"] as const)("over %s", (protocol) => {
  test("a stopped answer stays as far as it had come, marked, and the next question is its own", async () => {
    const stop = new AbortController();
    const stopped = await runAgainst(
      () => ({
        fault: { kind: "stall", where: "mid_text" },
        reply: { text: "It began in a far country and went on" },
      }),
      "tell me",
      { protocol, signal: stop.signal, turn: { listener: { onText: () => setImmediate(() => stop.abort()) } } },
    );
    const last = stopped.messages.at(-1);
    expect(stopped.outcome.status).toBe("aborted");
    expect(last).toMatchObject({
      role: "assistant",
      interrupted: true,
      calls: [],
      text: expect.stringMatching(/^It b/),
    });
    expect(stopped.outcome.text).toBe(last?.role === "assistant" ? last.text : "");

    const { provider } = await runAgainst(() => ({ text: "fine" }), "something else", {
      protocol,
      history: stopped.messages,
    });
    const [first, answer, second] = (provider.requests[0] as NormalisedRequest).turns;
    expect([first, second]).toMatchObject([
      { role: "user", text: "tell me" },
      { role: "user", text: "something else" },
    ]);
    expect(JSON.stringify(answer)).toMatch(/It b.*The user stopped this turn here/);
  });

  test("a turn stopped before a word, and in the middle of a call, is marked too", async () => {
    const stop = new AbortController();
    const silent = await runAgainst(
      () => ({ fault: { kind: "stall", where: "before_headers", reached: () => setImmediate(() => stop.abort()) } }),
      "tell me",
      { protocol, signal: stop.signal },
    );
    expect(silent.messages.at(-1)).toMatchObject({ role: "assistant", text: "", interrupted: true });
    const during = new AbortController();
    const called = await runAgainst(
      () => ({ calls: [{ name: "note_set", input: { name: "a", text: "x" } }] }),
      "save it",
      { protocol, signal: during.signal, turn: { listener: { onCall: () => during.abort() } } },
    );
    expect(called.outcome.status).toBe("aborted");
    expect(called.messages.slice(-2)).toMatchObject([{ role: "tool" }, { role: "assistant", interrupted: true }]);
    const next = await runAgainst(() => ({ text: "fine" }), "and now?", { protocol, history: called.messages });
    expect(next.provider.refused).toEqual([]);
    expect((next.provider.requests[0] as NormalisedRequest).turns.at(-1)).toEqual({ role: "user", text: "and now?" });
  });

  test("a question that was never answered is not read together with the next one", async () => {
    const { provider, outcome } = await runAgainst(() => ({ text: "fine" }), "second", {
      protocol,
      history: [{ role: "user", id: "1", at: "2026-01-01T00:00:00.000Z", text: "first" }],
    });
    expect(outcome.status).toBe("done");
    expect((provider.requests[0] as NormalisedRequest).turns).toMatchObject([
      { role: "user", text: "first" },
      { role: "assistant", text: expect.stringContaining("ended before there was an answer") },
      { role: "user", text: "second" },
    ]);
  });

  test("a plain answer streams through and ends the turn", async () => {
    const { outcome, shown, messages, provider } = await runAgainst(() => ({ text: "Grüße, 世界! 🌍" }), "hi", {
      protocol,
    });
    expect(outcome).toMatchObject({
      status: "done",
      text: "Grüße, 世界! 🌍",
      steps: 1,
      usage: { input: 10, output: 5 },
    });
    expect(shown).toBe("Grüße, 世界! 🌍");
    expect(messages.at(-1)).toMatchObject({ role: "assistant", calls: [] });
    expect(provider.requests[0]).toMatchObject({ system: "You are scripted.", tools: ["note_get", "note_set"] });
  });

  test("parallel calls run and are answered, and the model works with what came back", async () => {
    const { outcome, ran, provider } = await runAgainst(
      (request) => {
        const said = results(request);
        if (said.length === 0) {
          return {
            text: "Saving.",
            calls: ["a", "b"].map((name) => ({ name: "note_set", input: { name, text: `text ${name}` } })),
          };
        }
        if (said.length === 2) return { calls: [{ name: "note_get", input: { name: "b" } }] };
        return { text: `b holds: ${(JSON.parse(said[2] as string) as { data: { text: string } }).data.text}` };
      },
      "save two notes",
      { protocol },
    );
    expect(outcome).toMatchObject({ status: "done", text: "b holds: text b", steps: 3 });
    expect(ran).toEqual(["note_set a", "note_set b", "note_get b"]);
    expect(provider.refused).toEqual([]);
  });

  test("a tool error reaches the model as an envelope it can act on", async () => {
    const { outcome } = await runAgainst(
      (request) => {
        const [first] = results(request);
        if (first === undefined) return { calls: [{ name: "note_get", input: { name: "x" } }] };
        return { text: `got ${(JSON.parse(first) as { code: string }).code}` };
      },
      "read x",
      { protocol },
    );
    expect(outcome.text).toBe("got not_found");
  });

  test("arguments that do not parse are never run; the model is told", async () => {
    const { outcome, ran } = await runAgainst(
      (request) =>
        results(request).length === 0
          ? { calls: [{ name: "note_set", input: {}, rawArguments: '{"name": "x", "te' }] }
          : { text: (JSON.parse(results(request)[0] as string) as { code: string }).code },
      "go",
      { protocol },
    );
    expect(ran).toEqual([]);
    expect(outcome).toMatchObject({ status: "done", text: "invalid_input" });
  });

  test.each(["mid_text", "mid_arguments", "before_headers"] as const)(
    "a stream cut %s is asked for again and nothing runs twice",
    async (where) => {
      const reply = { text: "Saving now.", calls: [{ name: "note_set", input: { name: "a", text: "x".repeat(50) } }] };
      const { outcome, ran, restarts } = await runAgainst(
        (request, count) => {
          if (count === 0) return { fault: { kind: "cut", where }, reply };
          return results(request).length === 0 ? reply : { text: "done" };
        },
        "go",
        { protocol },
      );
      expect(outcome).toMatchObject({ status: "done", text: "done" });
      expect(ran).toEqual(["note_set a"]);
      expect(restarts).toHaveLength(1);
    },
  );

  test("a history with an orphaned call, a doubled result and an empty answer is made whole", async () => {
    const at = new Date(0).toISOString();
    const history: Message[] = [
      { role: "user", id: "1", at, text: "first" },
      {
        role: "assistant",
        id: "2",
        at,
        text: "",
        calls: [{ id: "lost", name: "note_get", arguments: '{"name":"a"}' }],
      },
      { role: "user", id: "3", at, text: "second" },
      { role: "assistant", id: "4", at, text: "", calls: [{ id: "ok", name: "note_get", arguments: "not json" }] },
      { role: "tool", id: "5", at, callId: "ok", name: "note_get", envelope: "{}" },
      { role: "tool", id: "6", at, callId: "ok", name: "note_get", envelope: "{}" },
      { role: "tool", id: "7", at, callId: "never", name: "note_get", envelope: "{}" },
      { role: "assistant", id: "8", at, text: "", calls: [] },
      { role: "event", id: "9", at, text: "A file changed." },
    ];
    const { outcome, provider } = await runAgainst(() => ({ text: "fine" }), "third", { protocol, history });
    expect(provider.refused).toEqual([]);
    expect(outcome.status).toBe("done");
    expect(results(provider.requests[0] as NormalisedRequest)[0]).toContain("interrupted");
  });
});

const notes = (name: string) => ({ calls: [{ name: "note_get", input: { name } }] });

test("the same call three times in a row is not run a third time unless confirmed", async () => {
  const circling = await runAgainst(
    (request) => (results(request).length < 3 ? notes("a") : { text: "stopped" }),
    "go",
  );
  expect(circling.ran).toHaveLength(2);
  expect(circling.results.at(-1)).toMatchObject({ success: false, code: "conflict" });
  const confirmed = await runAgainst((request) => (results(request).length < 3 ? notes("a") : { text: "ok" }), "go", {
    turn: { confirmRepeat: async () => true },
  });
  expect(confirmed.ran).toHaveLength(3);
});

test("a turn that never ends is stopped, and says so", async () => {
  const { outcome, ran } = await runAgainst((_, count) => notes(String(count)), "go", { turn: { maxSteps: 4 } });
  expect(outcome).toMatchObject({
    status: "steps_used_up",
    steps: 4,
    error: { message: expect.stringContaining("4 requests") },
  });
  expect(ran).toHaveLength(4);
});

test("an abort in the middle of the text ends the turn and keeps the history valid", async () => {
  const stop = new AbortController();
  const { outcome, messages } = await runAgainst(
    () => ({ fault: { kind: "stall" }, reply: { text: "a long story" } }),
    "go",
    {
      signal: stop.signal,
      turn: { listener: { onText: () => stop.abort() } },
    },
  );
  expect(outcome.status).toBe("aborted");
  expect(messages).toMatchObject([{ role: "user" }, { role: "assistant", interrupted: true }]);
});

test("an abort in the middle of a tool answers every call exactly once", async () => {
  const stop = new AbortController();
  const slow = defineTool({
    name: "slow",
    description: "Waits until it is stopped.",
    input: z.strictObject({}),
    effects: () => [],
    run: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
        stop.abort();
      }),
  });
  const {
    outcome,
    messages,
    results: answers,
  } = await runAgainst(
    () => ({
      calls: [
        { name: "slow", input: {} },
        { name: "note_get", input: { name: "a" } },
      ],
    }),
    "go",
    { signal: stop.signal, tools: [slow], turn: { plan: async () => undefined } },
  );
  expect(outcome.status).toBe("aborted");
  expect(answers.map((answer) => (answer.success ? "" : answer.code))).toEqual(["aborted", "aborted"]);
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "assistant"]);
});

describe("tool rules", () => {
  test("max_calls takes the tool out of the catalog and refuses it when called anyway", async () => {
    const { ran, provider, outcome } = await runAgainst(
      (request) => {
        const said = results(request);
        return said.length < 2 ? notes(String(said.length)) : { text: said[1] ?? "" };
      },
      "go",
      { rules: { max_calls: { note_get: 1 } } },
    );
    expect(ran).toEqual(["note_get 0"]);
    expect(provider.requests[1]?.tools).toEqual(["note_set"]);
    expect(outcome).toMatchObject({ denied: true, text: expect.stringMatching(/No tool named|rule forbids/) });
  });

  test("ordering shows a tool only after its predecessor succeeded", async () => {
    const { provider, ran } = await runAgainst(
      (request) => {
        const said = results(request).length;
        if (said === 0) return { calls: [{ name: "note_set", input: { name: "a", text: "t" } }] };
        return said === 1 ? notes("a") : { text: "ok" };
      },
      "go",
      { rules: { ordering: { note_get: ["note_set"] } } },
    );
    expect(provider.requests.map(({ tools }) => tools)).toEqual([
      ["note_set"],
      ["note_get", "note_set"],
      ["note_get", "note_set"],
    ]);
    expect(ran).toEqual(["note_set a", "note_get a"]);
  });

  test("exit_loop ends the turn without asking again", async () => {
    const { outcome, provider } = await runAgainst(
      () => ({ calls: [{ name: "note_set", input: { name: "a", text: "t" } }] }),
      "go",
      {
        rules: { exit_loop: ["note_set"] },
      },
    );
    expect(outcome.status).toBe("done");
    expect(provider.count).toBe(1);
  });
});

test("a tool withdrawn between the offer and the call answers unavailable", async () => {
  const registry = createToolRegistry();
  const tool = defineTool({
    name: "gone",
    description: "Goes.",
    input: z.strictObject({}),
    effects: () => [],
    run: async () => 1,
  });
  const registration = registry.register([tool]);
  const { results: answers } = await runAgainst(
    (request) => {
      registration[Symbol.dispose]();
      return results(request).length === 0 ? { calls: [{ name: "gone", input: {} }] } : { text: "ok" };
    },
    "go",
    { turn: { catalog: () => registry.snapshot() } },
  );
  expect(answers).toMatchObject([{ success: false, code: "unavailable" }]);
});
