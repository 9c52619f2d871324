import fc from "fast-check";
import { expect, test } from "vitest";
import { cost, slideWindow } from "./context-window.ts";
import { buildContext } from "./context.ts";
import { completeHistory, type Message, toExchanges } from "../messages.ts";
import { toPrompt } from "./prompt.ts";
import { readAnthropic, readOpenAi } from "../testing/normalised-request.ts";

const count = (text: string): number => Math.ceil(text.length / 4);
const at = new Date(0).toISOString();

/** Any history, whole or broken: turns, calls with and without results, aborts, stray results. */
const histories: fc.Arbitrary<Message[]> = fc
  .array(
    fc.oneof(
      fc.record({ role: fc.constant("user" as const), text: fc.string({ minLength: 1, maxLength: 400 }) }),
      fc.record({ role: fc.constant("event" as const), text: fc.string({ minLength: 1, maxLength: 100 }) }),
      fc.record({
        role: fc.constant("assistant" as const),
        text: fc.string({ maxLength: 200 }),
        calls: fc.array(
          fc.record({
            id: fc.constantFrom("a", "b", "c", "d", "e"),
            name: fc.constantFrom("x", "y"),
            arguments: fc.oneof(fc.constant("{}"), fc.constant('{"a":'), fc.json()),
          }),
          { maxLength: 3 },
        ),
      }),
      fc.record({
        role: fc.constant("tool" as const),
        callId: fc.constantFrom("a", "b", "c", "d", "e"),
        name: fc.constant("x"),
        envelope: fc.string({ minLength: 1, maxLength: 2_000 }),
      }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => [
    { role: "user", id: "q", at, text: "begin" },
    ...parts.map((part, index) => ({ ...part, id: String(index), at })),
  ]);

/** What each provider's adapter makes of a prompt, reduced to what the protocols check. */
function asOpenAi(prompt: ReturnType<typeof toPrompt>): unknown[] {
  return prompt.flatMap((message): unknown[] => {
    if (message.role === "system") return [{ role: "system", content: message.content }];
    if (message.role === "user") return [{ role: "user", content: message.content }];
    if (message.role === "tool") {
      return message.content.flatMap((part) =>
        part.type === "tool-result" ? [{ role: "tool", tool_call_id: part.toolCallId, content: "x" }] : [],
      );
    }
    const text = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
    const calls = message.content.flatMap((part) =>
      part.type === "tool-call"
        ? [
            {
              id: part.toolCallId,
              type: "function",
              function: { name: part.toolName, arguments: JSON.stringify(part.input) },
            },
          ]
        : [],
    );
    return [{ role: "assistant", content: text, ...(calls.length > 0 && { tool_calls: calls }) }];
  });
}

function asAnthropic(prompt: ReturnType<typeof toPrompt>): unknown[] {
  return prompt.flatMap((message): unknown[] => {
    if (message.role === "system") return [];
    if (message.role === "user") return [{ role: "user", content: message.content }];
    const content = message.content.flatMap((part): unknown[] => {
      if (part.type === "tool-result") return [{ type: "tool_result", tool_use_id: part.toolCallId, content: "x" }];
      if (part.type === "tool-call")
        return [{ type: "tool_use", id: part.toolCallId, name: part.toolName, input: part.input }];
      return part.type === "text" ? [{ type: "text", text: part.text }] : [];
    });
    return [{ role: message.role === "tool" ? "user" : "assistant", content }];
  });
}

test("whatever happened before, the request is valid for both protocols and within its budget", () => {
  fc.assert(
    fc.property(histories, fc.integer({ min: 300, max: 4_000 }), fc.nat(5), (messages, budget, evictedBefore) => {
      const window = slideWindow(messages, { budget, count, evictedBefore });
      const prompt = toPrompt(["system"], window.messages);
      readOpenAi({ model: "m", messages: asOpenAi(prompt) });
      readAnthropic({ model: "m", max_tokens: 1, messages: asAnthropic(prompt) });
      expect(window.tokens).toBe(cost(window.messages, count));
    }),
    { numRuns: 300 },
  );
});

test("a window is over its budget only when nothing is left to cut", () => {
  fc.assert(
    fc.property(histories, fc.integer({ min: 300, max: 4_000 }), (messages, budget) => {
      const window = slideWindow(messages, { budget, count });
      const cuttable = window.messages.some(
        (message) => (message.role === "tool" ? message.envelope : JSON.stringify(message)).length > 1_200,
      );
      const steps = window.messages.filter(({ role }) => role === "assistant").length;
      expect(window.tokens <= budget || (!cuttable && steps <= 1)).toBe(true);
    }),
  );
});

test("a turn of very many steps keeps its question and its last steps, and says what it leaves out", () => {
  const steps = Array.from({ length: 200 }, (_, index): Message[] => [
    {
      role: "assistant",
      id: `a${index}`,
      at,
      text: "",
      calls: [{ id: `c${index}`, name: "x", arguments: JSON.stringify({ content: "y".repeat(2_000) }) }],
    },
    { role: "tool", id: `t${index}`, at, callId: `c${index}`, name: "x", envelope: "z".repeat(2_000) },
  ]).flat();
  const window = slideWindow([{ role: "user", id: "q", at, text: "begin" }, ...steps], { budget: 3_000, count });
  expect(window.tokens).toBeLessThanOrEqual(3_000);
  expect(window.messages[0]).toMatchObject({ text: expect.stringMatching(/^begin\n\[\d+ earlier steps/) });
  expect(window.messages.at(-1)).toMatchObject({ callId: "c199" });
  const [call] = window.messages.flatMap((message) => (message.role === "assistant" ? message.calls : []));
  expect(JSON.parse(call?.arguments ?? "")).toEqual({ cut: expect.stringContaining("characters are not shown") });
});

test("completing a history twice changes nothing more, and no exchange is lost", () => {
  fc.assert(
    fc.property(histories, (messages) => {
      const once = completeHistory(messages);
      expect(completeHistory(once)).toEqual(once);
      expect(toExchanges(once).flatMap((exchange) => exchange.messages)).toEqual(once);
    }),
  );
});

const exchange = (number: number, size: number): Message[] => [
  { role: "user", id: `u${number}`, at, text: `question ${number}` },
  { role: "assistant", id: `a${number}`, at, text: "x".repeat(size), calls: [] },
];

test("a full window is emptied by more than it must, so that its beginning stays for many turns", () => {
  const messages = Array.from({ length: 20 }, (_, index) => exchange(index, 400)).flat();
  const first = slideWindow(messages, { budget: 1_000, count });
  expect(first.tokens).toBeLessThanOrEqual(700);
  const next = slideWindow([...messages, ...exchange(20, 400)], {
    budget: 1_000,
    count,
    evictedBefore: first.evicted.length,
  });
  expect(next.evicted).toHaveLength(first.evicted.length);
  expect(next.messages[0]).toEqual(first.messages[0]);
});

test("the manifest says what each part costs, why it is there and what changed", () => {
  const part = (version: string) => ({
    kind: "pinned",
    source: "ikigai:///a.md",
    version,
    text: "text",
    reason: "pinned by you",
  });
  const input = { cards: [], messages: exchange(1, 10), limit: 10_000, reserve: 100, count };
  const first = buildContext({ ...input, parts: [part("1")] });
  expect(first.manifest.entries.map(({ kind, change }) => [kind, change])).toEqual([
    ["pinned", "new"],
    ["tools", "new"],
    ["window", "new"],
  ]);
  const second = buildContext({ ...input, parts: [part("2")], previous: first.manifest });
  expect(second.manifest.entries.map(({ change }) => change)).toEqual(["changed", "same", "same"]);
  const third = buildContext({ ...input, parts: [], previous: second.manifest });
  expect(third.manifest.entries.at(-1)).toMatchObject({ source: "ikigai:///a.md", tokens: 0, change: "gone" });
  expect(buildContext({ ...input, parts: [], previous: third.manifest }).manifest.entries).toHaveLength(2);
  expect(third.manifest.tokens).toBe(third.manifest.entries.reduce((sum, { tokens }) => sum + tokens, 0));
});

test("a notice and the question behind it are one message with a gap between them", () => {
  const notice: Message = { role: "event", id: "e", at, text: "A file changed." };
  const question: Message = { role: "user", id: "q", at, text: "What now?" };
  expect(toPrompt(["system"], [notice, question]).at(-1)).toEqual({
    role: "user",
    content: [{ type: "text", text: "A file changed.\n\nWhat now?" }],
  });
});
