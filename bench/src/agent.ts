<<<<<<< HEAD
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildContext, type Message } from "@ikigai/agent";
import { spawn } from "@lydell/node-pty";
import { compare, type Line } from "./line.ts";

const PROGRAM = fileURLToPath(new URL("../../apps/cli/bin/ikigai.js", import.meta.url));
const FINDER = new URL("../../apps/cli/dist/chat/screen/find-names.js", import.meta.url).href;
const NAMES = 100_000;

/** Start to prompt, what building a request costs after a long conversation, and a keystroke in the finder. */
export async function benchAgent(quick: boolean): Promise<Line[]> {
  return [...(await start(quick ? 3 : 20)), ...(await build(quick ? 10 : 100)), ...(await keystroke(quick ? 5 : 50))];
}

async function start(rounds: number): Promise<Line[]> {
  const base = mkdtempSync(join(tmpdir(), "ikigai-bench-"));
  const sides = [
    { name: "node alone", run: () => untilPrompt(["-e", "process.stdout.write('> ')"], base) },
    { name: "ikigai", run: () => untilPrompt([PROGRAM, "--store", join(base, "store"), "--root", base], base) },
  ];
  const lines = await compare("agent", "start to prompt", sides, rounds);
  rmSync(base, { recursive: true, force: true });
  return lines;
}

/** Contract: resolves at the first `> `, then ends the program. */
function untilPrompt(args: readonly string[], base: string): Promise<void> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: base, TERM: "xterm", XDG_CONFIG_HOME: join(base, "config") };
  const child = spawn(process.execPath, [...args], { cols: 80, rows: 24, env });
  return new Promise((resolve) => {
    let seen = "";
    child.onData((data) => {
      seen += data;
      if (!seen.includes("> ")) return;
      resolve();
      child.kill("SIGKILL");
    });
  });
}

async function build(rounds: number): Promise<Line[]> {
  const at = new Date(0).toISOString();
  const messages = Array.from({ length: 1_000 }, (_, index): Message[] => [
    { role: "user", id: `u${index}`, at, text: `question ${index} ${"about something ".repeat(10)}` },
    { role: "assistant", id: `a${index}`, at, text: "an answer ".repeat(40), calls: [] },
  ]).flat();
  const parts = Array.from({ length: 100 }, (_, index) => ({
    kind: "pinned",
    source: `ikigai:///blocks/${index}.md`,
    version: "1",
    text: "a pinned text ".repeat(30),
    reason: "pinned",
  }));
  const count = (text: string): number => Math.ceil(text.length / 4);
  const shared = { cards: [], limit: 150_000, reserve: 8_000, count };
  const sides = [
    { name: "one exchange, no pins", run: () => buildContext({ ...shared, parts: [], messages: messages.slice(-2) }) },
    { name: "1,000 exchanges, 100 pins", run: () => buildContext({ ...shared, parts, messages }) },
  ];
  return compare("agent", "build a request", sides, rounds);
}

async function keystroke(rounds: number): Promise<Line[]> {
  const { createNameFinder } = (await import(FINDER)) as {
    createNameFinder(names: () => AsyncIterable<string>): {
      ready: Promise<void>;
      find(query: string, limit: number): Promise<unknown>;
    };
  };
  async function* names(): AsyncIterable<string> {
    for (let at = 0; at < NAMES; at++) yield `src/folder-${at % 97}/module-${at}.ts`;
  }
  const finder = createNameFinder(names);
  await finder.ready;
  const sides = ["m", "mod", "module-77123", "zzz"].map((query) => ({ name: query, run: () => finder.find(query, 8) }));
  return compare("agent", `keystroke, ${NAMES} names`, sides, rounds);
=======
import { buildContext, type ContextPart, type Message } from "@ikigai/agent";
import { type AnyTool, createToolRegistry, defineTool, type ToolCard } from "@ikigai/core";
import { z } from "zod";
import { createWriter } from "./data.ts";
import { compare, type Line } from "./line.ts";

const PINS = 100;
const TOOLS = 25;
const LIMIT = 200_000;
const AT = "2026-01-31T12:00:00.000Z";

/** What building a request costs before each turn, as the conversation grows. */
export async function benchAgent(quick: boolean): Promise<Line[]> {
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
  for (const size of quick ? [10, 100, 1_000] : [10, 100, 1_000, 10_000]) {
    const messages = conversation(size, write);
    const request = { parts, cards, messages, limit: LIMIT, reserve: 8_000 };
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
            run: () => buildContext({ ...request, count: countTokens }),
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
>>>>>>> bench
}
