import { defineTool, IkigaiError } from "@ikigai/core";
import { createSourceManager, createToolRegistry } from "@ikigai/core/host";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { createAgentSession } from "./agent-session.ts";
import { createAutoSummary } from "./context/auto-summary.ts";
import type { Manifest } from "./context/context.ts";
import { createMemoryConversations } from "./memory-conversations.ts";
import { openModel } from "./model/open-model.ts";
import { type Script, startMockProvider } from "./testing/mock-provider.ts";

const LIMIT = 2_200;
const RESERVE = 100;
const count = (text: string): number => Math.ceil(text.length / 4);

const calls = fc.array(
  fc.record({ kind: fc.constantFrom("echo", "fail", "unknown", "not_json"), size: fc.nat(1_500) }),
  { minLength: 1, maxLength: 3 },
);
const turns = fc.array(
  fc.record({
    protocol: fc.constantFrom("openai" as const, "anthropic" as const),
    question: fc.integer({ min: 1, max: 1_000 }),
    pinned: fc.nat(600),
    steps: fc.array(fc.record({ text: fc.nat(300), calls }), { maxLength: 3 }),
    end: fc.constantFrom("answer", "abort in the text", "abort in a tool", "cut", "refused"),
    answer: fc.integer({ min: 1, max: 1_000 }),
  }),
  { minLength: 1, maxLength: 6 },
);
type Turn = typeof turns extends fc.Arbitrary<(infer T)[]> ? T : never;

/** The model of one turn: its steps, then its end. */
function play({ steps, end, answer }: Turn, stop: () => void): Script {
  let step = 0;
  return () => {
    const next = steps[step++];
    if (next !== undefined) {
      return {
        text: "t".repeat(next.text),
        calls: next.calls.map(({ kind, size }) => ({
          name: kind === "unknown" ? "nobody" : kind === "fail" ? "fail" : "echo",
          input: { text: "x".repeat(size) },
          ...(kind === "not_json" && { rawArguments: `{"text": "${"x".repeat(size)}` }),
        })),
      };
    }
    const reply = { text: "a".repeat(answer) };
    if (end === "abort in the text") return { fault: { kind: "stall", where: "mid_text", reached: stop }, reply };
    if (end === "abort in a tool") return { calls: [{ name: "hang", input: {} }] };
    if (end === "cut") return { fault: { kind: "cut", where: "mid_text" }, reply };
    return end === "refused" ? { fault: { kind: "status", status: 401 } } : reply;
  };
}

test("for any sequence of turns, calls, aborts and evictions each request is valid for both protocols and fits", async () => {
  await fc.assert(
    fc.asyncProperty(turns, async (sequence) => {
      let script: Script = () => ({ text: "a summary" });
      let stop = (): void => {};
      await using provider = await startMockProvider((request, before) =>
        request.tools.length === 0 ? { text: "A summary." } : script(request, before),
      );
      const open = (protocol: "openai" | "anthropic") =>
        openModel({
          model: `${protocol}/scripted`,
          baseUrl: protocol === "openai" ? provider.openAiUrl : provider.anthropicUrl,
          apiKey: "key",
        });
      const registry = createToolRegistry();
      const text = z.strictObject({ text: z.string() });
      registry.register([
        defineTool({
          name: "echo",
          description: "Gives it back.",
          input: text,
          effects: () => [],
          run: async (input) => input,
        }),
        defineTool({
          name: "fail",
          description: "Fails.",
          input: text,
          effects: () => [],
          run: async () => {
            throw new IkigaiError("not_found", "It is not there");
          },
        }),
        defineTool({
          name: "hang",
          description: "Waits until it is stopped.",
          input: z.strictObject({}),
          effects: () => [],
          run: (_, { signal }) =>
            new Promise((_resolve, reject) => {
              signal.addEventListener("abort", () => reject(signal.reason as Error));
              stop();
            }),
        }),
      ]);
      await using sources = Object.assign(createSourceManager({ registry }), {
        [Symbol.asyncDispose]: async () => {},
      });
      const conversations = createMemoryConversations();
      const conversation = await conversations.create("tester");
      const archived: string[] = [];
      const manifests: Manifest[] = [];
      let current = await open("openai");
      let pinned = 0;
      const summary = createAutoSummary({ summarise: async () => "A summary.", save: async () => {} });
      const session = createAgentSession({
        profile: { name: "tester" },
        registry,
        sources,
        conversations,
        conversation,
        model: async () => current,
        pinned: async () => [
          {
            kind: "pinned",
            source: "ikigai:///p.md",
            version: String(pinned),
            text: "p".repeat(pinned),
            reason: "pinned",
          },
        ],
        archive: async (exchanges) =>
          void archived.push(...exchanges.flatMap(({ messages }) => messages.map(({ id }) => id))),
        summary,
        confirmRepeat: async () => true,
        count,
        contextLimit: LIMIT,
        reserve: RESERVE,
        maxSteps: 6,
        retry: { attempts: 2, sleep: async () => {} },
      });
      for (const turn of sequence) {
        const controller = new AbortController();
        stop = () => controller.abort();
        script = play(turn, stop);
        current = await open(turn.protocol);
        pinned = turn.pinned;
        await session.send("q".repeat(turn.question), controller.signal, {
          onManifest: (manifest) => manifests.push(manifest),
        });
      }
      expect(provider.refused).toEqual([]);
      for (const { tokens } of manifests) expect(tokens).toBeLessThanOrEqual(LIMIT - RESERVE);
      for (const { turns: sent, system } of provider.requests) {
        const texts = sent.map(({ text: said }) => said);
        expect(count(`${system}${texts.join("")}`)).toBeLessThanOrEqual(LIMIT - RESERVE);
      }
      expect(new Set(archived).size).toBe(archived.length);
    }),
    { numRuns: 25 },
  );
}, 60_000);
