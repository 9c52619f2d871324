// Turns of the real agent on the real store, in a process of its own. Prints what each cost as one line of JSON.
import { startMockProvider } from "@ikigai/agent/testing";
import type { Message } from "@ikigai/agent";
import { openHost } from "@ikigai/host";
import { openAgent, openChatStore } from "@ikigai/host/agent";
import { resolvePlace } from "@ikigai/host/place";
import { createWriter } from "./data.ts";

/** What the benchmark passes as JSON. */
export interface TurnsTask {
  readonly root: string;
  readonly store: string;
  readonly agent: string;
  /** Exchanges there are before the first turn. */
  readonly past: number;
  readonly pins: number;
  readonly turns: number;
}

/** What it prints. */
export interface TurnsResult {
  /** Microseconds of each turn, the model's included. */
  readonly turns: readonly number[];
  /** Microseconds of the same requests to the same model without an agent. */
  readonly bare: readonly number[];
  /** Resident memory in MB after the first tenth of the turns, and after all of them. */
  readonly early: number;
  readonly late: number;
  /** The most there was. */
  readonly peak: number;
}

interface Writable {
  write(path: string, text: string, options: object): Promise<unknown>;
}

const task = JSON.parse(process.argv[2] ?? "") as TurnsTask;
const nothing = (): void => {};
const provider = await startMockProvider(() => ({ text: "An answer of a few words." }));
const { root, store: folder, agent: name } = task;
const host = await openHost({ root, store: folder, agent: name, mode: "all" });
const store = openChatStore(host);
const place = {
  ...resolvePlace({ root, store: folder, agent: name }),
  model: "local/scripted",
  baseUrl: provider.openAiUrl,
};
const agent = await openAgent({ host, place, store, warn: nothing });

const write = createWriter(3);
const actor = { agent: task.agent, conversation: "", callId: "seed", tool: "seed" };
for (let pin = 0; pin < task.pins; pin++) {
  const uri = `ikigai:///blocks/pin-${pin}.md`;
  const { source, address } = host.sources.route(uri);
  await (source as Writable).write(address.path, write(60), { actor, expected: null });
  await host.store.assets.change(address.path, { fields: { pinned: true } }, actor);
}
const { pins } = await host.store.pins.status(task.agent);
if (pins.length !== task.pins) throw new Error(`${pins.length} texts are pinned, not ${task.pins}`);
const conversation = await store.conversations.create(task.agent);
await store.conversations.append(conversation, pastOf(task.past));
const session = await agent.session(conversation);
const { signal } = new AbortController();
await session.send("The first turn counts the tokens of everything.", signal);

const turns: number[] = [];
const bare: number[] = [];
let early = 0;
for (let turn = 0; turn < task.turns; turn++) {
  bare.push(await timed(askBare));
  turns.push(await timed(() => session.send(`Question ${turn}: ${write(20)}`, signal)));
  if (turn === Math.floor(task.turns / 10)) early = resident();
}
await agent.settled();
const late = resident();
const peak = process.resourceUsage().maxRSS / 1_024;
process.stdout.write(`${JSON.stringify({ turns, bare, early, late, peak } satisfies TurnsResult)}\n`);
agent[Symbol.dispose]();
await host.close();
await provider[Symbol.asyncDispose]();

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) * 1_000;
}

async function askBare(): Promise<void> {
  const body = { model: "scripted", stream: true, messages: [{ role: "user", content: "hello" }] };
  const answer = await fetch(`${provider.openAiUrl}/chat/completions`, { method: "POST", body: JSON.stringify(body) });
  await answer.text();
}

function resident(): number {
  globalThis.gc?.();
  // The mock keeps every request; that is not the agent's memory.
  (provider.requests as unknown[]).length = 0;
  globalThis.gc?.();
  return process.memoryUsage().rss / 2 ** 20;
}

function pastOf(exchanges: number): Message[] {
  return Array.from({ length: exchanges }, (_, index): Message[] => {
    const stored = { at: new Date(index).toISOString() };
    return [
      { ...stored, role: "user", id: `q${index}`, text: write(20) },
      { ...stored, role: "assistant", id: `a${index}`, text: write(40), calls: [] },
    ];
  }).flat();
}
