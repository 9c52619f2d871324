// A turn of the real agent on the real store that ends by SIGKILL at a chosen point. Run as built, by the tests of going on.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "@ikigai/agent";
import { defineTool } from "@ikigai/core";
import { z } from "zod";
import { openTerminalHost } from "../../terminal/terminal-host.ts";
import { resolveSettings } from "../../settings.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { createLateCompaction, openAgent, openChatStore } from "@ikigai/host/agent";

/** What the test passes as JSON. */
export interface MortalTask {
  readonly root: string;
  readonly store: string;
  readonly agent: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly text: string;
  /** Exchanges there are already, each with so many words. */
  readonly past: number;
  readonly words: number;
  /** The name of the point at which it dies, or how many points it passes. Absent: it lives. */
  readonly dies?: string | number;
}

const task = JSON.parse(process.argv[2] ?? "") as MortalTask;
let passed = 0;

function at(point: string): void {
  passed++;
  if (task.dies === point || task.dies === passed) process.kill(process.pid, "SIGKILL");
}

/** The work with a point before and a point behind it. */
async function around<T>(what: string, work: () => Promise<T>): Promise<T> {
  at(`before ${what}`);
  const done = await work();
  at(`after ${what}`);
  return done;
}

const silent: Terminal = {
  print: () => {},
  printRaw: () => {},
  note: () => {},
  show: () => {},
  complain: () => {},
  colours: false,
  interactive: true,
  ask: async () => "y",
  choose: async () => "y",
  readInput: async () => "",
};
const settings = resolveSettings(task);
const compaction = createLateCompaction();
const host = await openTerminalHost(settings, silent, {
  assist: {
    compact: compaction.compact,
    confirm: async () => {
      at("agreed to compact");
      return true;
    },
  },
});
host.registry.register([
  defineTool({
    name: "stamp",
    description: "Adds a line to stamps.txt, whether it is there already or not.",
    input: z.strictObject({ name: z.string() }),
    effects: () => [{ action: "update", target: "file:///stamps.txt" }],
    async run({ name }) {
      at("approved");
      appendFileSync(join(task.root, "stamps.txt"), `${name}\n`);
      at("stamped");
      return { stamped: name };
    },
  }),
]);
const store = openChatStore(host);
const { conversations } = store;
const agent = await openAgent({
  host,
  place: settings,
  warn: () => {},
  store: {
    ...store,
    archive: (...given) => around("archiving", () => store.archive(...given)),
    saveSummary: (...given) => around("keeping the summary", () => store.saveSummary(...given)),
    conversations: {
      ...conversations,
      append: (id, messages) => around(`storing ${nameOf(messages)}`, () => conversations.append(id, messages)),
      saveManifest: (...given) => around("keeping the manifest", () => conversations.saveManifest(...given)),
      recordManifest: (...given) => around("recording the manifest", () => conversations.recordManifest(...given)),
    },
  },
});
compaction.use(agent);
const conversation = await conversations.create(agent.name);
await conversations.append(conversation, pastOf(task));
const session = await agent.session(conversation);
await session.send(task.text, new AbortController().signal, { onText: () => at("text") });
await agent.settled();
await host.close();

function nameOf(messages: readonly Message[]): string {
  const last = messages.at(-1);
  return last?.role === "assistant" && last.calls.length > 0 ? "calls" : (last?.role ?? "nothing");
}

function pastOf({ past, words }: MortalTask): Message[] {
  return Array.from({ length: past }, (_, index): Message[] => {
    const stored = { at: new Date(index).toISOString() };
    return [
      { ...stored, role: "user", id: `q${index}`, text: `Question ${index}` },
      { ...stored, role: "assistant", id: `a${index}`, text: "word ".repeat(words), calls: [] },
    ];
  }).flat();
}
