import { type AnyTool, defineTool, type Envelope, IkigaiError } from "@ikigai/core";
import { createToolRegistry } from "@ikigai/core/host";
import { z } from "zod";
import { buildContext } from "../context/context.ts";
import type { Message } from "../messages.ts";
import { openModel } from "../model/open-model.ts";
import { runTurn, type TurnOptions, type TurnOutcome } from "../turn/run-turn.ts";
import { keepRules, type ToolRules } from "../turn/tool-rules.ts";
import { type MockProvider, type Script, startMockProvider } from "./mock-provider.ts";

/** A turn against the mock provider with a few real tools, and everything it left behind. */
export interface Ran {
  readonly outcome: TurnOutcome;
  readonly messages: readonly Message[];
  readonly provider: MockProvider;
  /** Names of the tools that ran, in the order in which they began. */
  readonly ran: readonly string[];
  readonly shown: string;
  readonly restarts: readonly string[];
  readonly results: readonly Envelope[];
  readonly waits: readonly number[];
}

export interface HarnessOptions {
  readonly protocol?: "openai" | "anthropic";
  readonly rules?: ToolRules;
  readonly history?: readonly Message[];
  readonly tools?: readonly AnyTool[];
  readonly signal?: AbortSignal;
  readonly turn?: Partial<TurnOptions>;
}

/** Text in memory that tools read and write, so that replies can be derived from what really happened. */
export function noteTools(ran: string[], notes: Map<string, string> = new Map()): AnyTool[] {
  return [
    defineTool({
      name: "note_get",
      description: "Reads a note.",
      input: z.strictObject({ name: z.string() }),
      effects: ({ name }) => [{ action: "read", target: `note:///${name}` }],
      run: async ({ name }) => {
        ran.push(`note_get ${name}`);
        const text = notes.get(name);
        if (text === undefined) throw new IkigaiError("not_found", `No note ${name}`);
        return { text };
      },
    }),
    defineTool({
      name: "note_set",
      description: "Writes a note.",
      input: z.strictObject({ name: z.string(), text: z.string() }),
      effects: ({ name }) => [{ action: "read", target: `note:///${name}` }],
      run: async ({ name, text }) => {
        ran.push(`note_set ${name}`);
        notes.set(name, text);
        return { saved: name };
      },
    }),
  ];
}

export async function runAgainst(script: Script, text: string, options: HarnessOptions = {}): Promise<Ran> {
  const provider = await startMockProvider(script);
  const ran: string[] = [];
  const registry = createToolRegistry();
  registry.register([...noteTools(ran), ...(options.tools ?? [])]);
  const protocol = options.protocol ?? "openai";
  const baseUrl = protocol === "openai" ? provider.openAiUrl : provider.anthropicUrl;
  const model = await openModel({ model: `${protocol}/scripted`, baseUrl, apiKey: "key" });
  const stored: Message[] = [
    ...(options.history ?? []),
    { role: "user", id: "q", at: new Date(0).toISOString(), text },
  ];
  const waits: number[] = [];
  const restarts: string[] = [];
  const results: Envelope[] = [];
  let shown = "";
  const outcome = await runTurn([...stored], {
    model,
    catalog: (keeper) =>
      registry.snapshot({ select: (name) => keeper.shows(name), allowed: options.rules?.allowed_operations ?? {} }),
    build: async (messages, catalog) =>
      buildContext({
        parts: [{ kind: "guidance", source: "test", version: "1", text: "You are scripted.", reason: "test" }],
        cards: catalog.cards,
        messages,
        limit: 100_000,
        reserve: 1_000,
        count: (one) => Math.ceil(one.length / 4),
      }),
    plan: async () => ({ effects: [], verdicts: [] }),
    append: async (messages) => void stored.push(...messages),
    keeper: keepRules(options.rules ?? {}, new Map(), () => 0),
    agent: "tester",
    conversation: "c",
    signal: options.signal ?? new AbortController().signal,
    listener: {
      onText: (delta) => (shown += delta),
      onRestart: (reason) => {
        restarts.push(reason);
        shown = "";
      },
      onResult: (_, envelope) => results.push(envelope),
    },
    retry: { sleep: async (ms) => void waits.push(ms), random: () => 0.5, stallMs: 20_000 },
    ...options.turn,
  });
  await provider[Symbol.asyncDispose]();
  return { outcome, messages: stored, provider, ran, shown, restarts, results, waits };
}
