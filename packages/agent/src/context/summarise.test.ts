import { expect, test } from "vitest";
import { createAutoSummary } from "./auto-summary.ts";
import type { Exchange } from "../messages.ts";
import { openModel } from "../model/open-model.ts";
import { proposeCompaction } from "./propose-compaction.ts";
import { askPlainly, summarise } from "./summarise.ts";
import { type Script, startMockProvider } from "../testing/mock-provider.ts";

const at = new Date(0).toISOString();
const count = (text: string): number => text.split(/\s+/).length;
const exchange = (number: number): Exchange => ({
  messages: [
    { role: "event", id: `e${number}`, at, text: "a file changed" },
    { role: "user", id: `u${number}`, at, text: `question ${number}` },
    {
      role: "assistant",
      id: `a${number}`,
      at,
      text: "I look.",
      calls: [{ id: "c", name: "note_get", arguments: "{}" }],
    },
    { role: "tool", id: `t${number}`, at, callId: "c", name: "note_get", envelope: "e".repeat(5_000) },
  ],
});

async function asked<T>(
  script: Script,
  use: (options: Parameters<typeof summarise>[2]) => Promise<T>,
): Promise<{ result: T; questions: string[] }> {
  await using provider = await startMockProvider(script);
  const model = await openModel({ model: "openai/scripted", baseUrl: provider.openAiUrl, apiKey: "key" });
  const result = await use({
    model,
    budget: 20,
    count,
    signal: new AbortController().signal,
    retry: { sleep: async () => {} },
  });
  const questions = provider.requests.map(({ turns }) => (turns[0]?.role === "user" ? turns[0].text : ""));
  return { result, questions };
}

test("a summary is made from the one before and the new part, and never longer than its budget", async () => {
  const { result, questions } = await asked(
    () => ({ text: "One sentence of five words. ".repeat(30) }),
    (options) => summarise("Use tabs.", [exchange(1)], options),
  );
  expect(count(result)).toBeLessThanOrEqual(20);
  expect(result).toMatch(/\.$/);
  expect(questions[0]).toMatch(
    /Use tabs\.[\s\S]*Event: a file changed\nUser: question 1\nAssistant: I look\. \[note_get \{\}\]\nResult of note_get: e{2000}\n/,
  );
});

test("a model with nothing to say is an error, never an empty summary", async () => {
  await expect(
    asked(
      () => ({ text: " \n" }),
      (options) => askPlainly("s", "q", options),
    ),
  ).rejects.toMatchObject({ code: "unavailable" });
});

test("a compaction is a proposal with both sizes, without the fence that models add, and refused when it is no shorter", async () => {
  const text = "one two three four five six";
  const shorter = await asked(
    () => ({ text: "```md\none to six\n```" }),
    (options) => proposeCompaction(text, options),
  );
  expect(shorter.result).toEqual({ text: "one to six", tokensBefore: 6, tokensAfter: 3 });
  await expect(
    asked(
      () => ({ text }),
      (options) => proposeCompaction(text, options),
    ),
  ).rejects.toMatchObject({ code: "conflict" });
});

test("the running summary is stale rather than blocking, catches up, and survives a failure", async () => {
  const failures: string[] = [];
  let fail = true;
  const summary = createAutoSummary({
    initial: { text: "start.", covers: 1 },
    summarise: async (before, exchanges) => {
      if (fail) throw new Error("the model is away");
      return `${before} +${exchanges.length}`;
    },
    save: async () => {},
    onFailure: (message) => failures.push(message),
  });
  expect(summary.part(1)).toMatchObject({ text: "start.", version: "1", reason: "covers 1 archived exchanges" });
  summary.evicted([exchange(1), exchange(2)]);
  expect(summary.part(2)).toMatchObject({ text: "start.", reason: "covers all but 1 of 2 archived exchanges" });
  await summary.settled();
  expect(failures).toEqual([expect.stringContaining("the model is away")]);
  fail = false;
  summary.evicted([exchange(1), exchange(2), exchange(3)]);
  summary.evicted([exchange(1), exchange(2), exchange(3), exchange(4)]);
  await summary.settled();
  expect(summary.part(4)).toMatchObject({ version: "4", text: expect.stringMatching(/^start\. \+/) });
  expect(createAutoSummary({ summarise: async () => "", save: async () => {} }).part(3)).toBeUndefined();
});
