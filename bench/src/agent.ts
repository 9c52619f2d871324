import { buildContext, type ContextPart, type Message } from "@ikigai/agent";
import { type AnyTool, defineTool } from "@ikigai/core";
import { createToolRegistry, type ToolCard } from "@ikigai/core/host";
import { z } from "zod";
import { benchFinder } from "./agent-finder.ts";
import { benchStart } from "./agent-start.ts";
import { benchTurns } from "./agent-turns.ts";
import { createWriter } from "./data.ts";
import { compare, type Line } from "./line.ts";

const PINS = 100;
const TOOLS = 25;
const LIMIT = 200_000;
const AT = "2026-01-31T12:00:00.000Z";

/** What a person waits for besides the model: the first prompt, a keystroke, a turn. */
export async function benchAgent(quick: boolean): Promise<Line[]> {
  return [
    ...(await benchStart(quick)),
    ...(await benchFinder(quick)),
    ...(await benchTurns(quick)),
    ...(await benchRequests(quick)),
  ];
}

/** What building a request costs before each turn, as the conversation grows. */
async function benchRequests(quick: boolean): Promise<Line[]> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  const write = createWriter(5);
  const cards = cardsOf(TOOLS);
  const parts = Array.from({ length: PINS }, (_, index): ContextPart => ({
    kind: "pinned",
    source: `ikigai:///blocks/b${index}.md`,
    version: "1",
    text: write(60),
    reason: "pinned",
  }));
  const lines: Line[] = [];
  const known = new Map<string, number>();
  const remembered = (text: string): number => {
    const tokens = known.get(text) ?? countTokens(text);
    known.set(text, tokens);
    return tokens;
  };
  for (const size of quick ? [10, 100, 300, 1_000] : [10, 100, 1_000, 10_000]) {
    const messages = conversation(size, write);
    const request = { parts, cards, messages, limit: LIMIT, reserve: 8_000 };
    let unseen = { parts, messages };
    lines.push(
      ...(await compare(
        "agent",
        `build a request: ${size.toLocaleString("en")} exchanges, ${PINS} pins`,
        [
          {
            name: "JSON.stringify of the messages",
            role: "floor",
            guarantee: "none: not counted, not cut",
            run: () => JSON.stringify([parts, messages]),
          },
          {
            name: "buildContext",
            guarantee: "within its budget, no orphaned call, each token counted",
            // What was seen before is not counted again, so everything is new.
            before: () => void (unseen = structuredClone({ parts, messages })),
            run: () => buildContext({ ...request, ...unseen, count: countTokens }),
          },
          {
            name: "buildContext, counts remembered",
            guarantee: "the same",
            run: () => buildContext({ ...request, count: remembered }),
          },
        ],
        { rounds: quick ? 3 : 30, growth: { curve: "request by exchanges", size } },
      )),
    );
  }
  return lines;
}

function conversation(exchanges: number, write: (words: number) => string): Message[] {
  return Array.from({ length: exchanges }, (_, index): Message[] => {
    const id = (part: string): string => `${index}-${part}`;
    const call = { id: id("call"), name: "tool_1", arguments: JSON.stringify({ text: write(5) }) };
    return [
      { id: id("user"), at: AT, role: "user", text: write(20) },
      { id: id("asks"), at: AT, role: "assistant", text: "", calls: [call] },
      {
        id: id("tool"),
        at: AT,
        role: "tool",
        callId: call.id,
        name: call.name,
        envelope: JSON.stringify({ success: true, data: write(40) }),
      },
      { id: id("says"), at: AT, role: "assistant", text: write(40), calls: [] },
    ];
  }).flat();
}

function cardsOf(count: number): readonly ToolCard[] {
  const registry = createToolRegistry();
  const tools = Array.from({ length: count }, (_, index): AnyTool =>
    defineTool({
      name: `tool_${index}`,
      description: "Gives the text back.",
      input: z.strictObject({ text: z.string() }),
      effects: () => [],
      run: async ({ text }) => ({ text }),
    }),
  );
  registry.register(tools);
  return registry.snapshot().cards;
}
