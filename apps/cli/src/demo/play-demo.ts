import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startMockProvider } from "@ikigai/agent/testing";
import { createLateCompaction, type LateCompaction, openAgent, openChatStore } from "@ikigai/host/agent";
import type { ChatScreen } from "@ikigai/terminal/screen";
import { createStyle, wrapProse } from "@ikigai/terminal";
import { createTurnView } from "../screen/turn-view.ts";
import { CONFIG_FILE } from "@ikigai/host/configuration";
import { dataOf, type Host } from "@ikigai/host";
import { openTerminalHost } from "../terminal/terminal-host.ts";
import { loadPart } from "@ikigai/host/parts";
import type { Settings } from "../settings.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { createDemoScript, NEW, OLD } from "./demo-script.ts";

const LIMIT = 1_000;
/** Where no terminal says how wide it is. */
const COLUMNS = 100;
const TASK = "Save the architecture notes as ikigai:///blocks/large-doc.md and pin them.";

/**
 * The budget story: a write is refused, the model makes room, tries again and pins.
 *
 * Contract: real tools on a store of its own, which is gone afterwards; resolves to the exit code.
 */
export async function playDemo(terminal: Terminal, protocol: "openai" | "anthropic" = "openai"): Promise<number> {
  const { stopKeeper } = await loadPart("@ikigai/database", "store");
  const base = await mkdtemp(join(tmpdir(), "ikigai-demo-"));
  const settings = {
    root: join(base, "folder"),
    stateDirectory: join(base, "state"),
    configDirectory: join(base, "config"),
    agent: "demo",
    approve: "edits" as const,
    json: false,
    quiet: false,
  };
  for (const folder of [settings.root, settings.configDirectory]) await mkdir(folder, { mode: 0o700 });
  await writeFile(join(settings.configDirectory, CONFIG_FILE), JSON.stringify({ budget: LIMIT }));
  const compaction = createLateCompaction();
  const host = await openTerminalHost(
    settings,
    { ...terminal, interactive: false },
    { assist: { compact: compaction.compact } },
  );
  try {
    return await play(host, compaction, settings, terminal, protocol);
  } finally {
    await host.close();
    await stopKeeper(join(settings.stateDirectory, "postgres"));
    await rm(base, { recursive: true, force: true });
  }
}

async function play(
  host: Host,
  compaction: LateCompaction,
  settings: Settings,
  terminal: Terminal,
  protocol: "openai" | "anthropic",
): Promise<number> {
  const screen = logScreen(terminal);
  const style = createStyle(terminal.colours);
  const store = openChatStore(host);
  const document = notes("Layer", 20);
  const old = `${notes("Rule", 9)}\n`.repeat(4);
  screen.print(
    style.dim("A scripted model, real tools and a temporary store. It needs no key; nothing leaves this machine."),
  );
  await call(host, settings, "file_write", { path: OLD, content: old });
  await call(host, settings, "slash_command", { command: `/pin ${OLD}` });

  await using provider = await startMockProvider(createDemoScript(document));
  using agent = await openAgent({
    host,
    place: {
      ...settings,
      model: `${protocol === "openai" ? "scripted" : protocol}/demo`,
      baseUrl: provider.openAiUrl,
    },
    store,
    env: { ANTHROPIC_API_KEY: "scripted" },
    warn: (message) => terminal.complain(message),
  });
  compaction.use(agent);
  const budget = async (): Promise<string> => {
    const { used, limit } = await store.budget(agent.name);
    return `Budget: ${used} of ${limit} tokens are pinned`;
  };
  screen.print(style.dim(`${await budget()}; the new notes have ${agent.count(document)}.`));
  screen.print(`${style.bold(">")} ${TASK}`);
  const session = await agent.session(await store.conversations.create(agent.name));
  using view = createTurnView(screen, style);
  const outcome = await session.send(TASK, new AbortController().signal, view);
  view.end(outcome);
  screen.print(style.dim(`${await budget()}. To talk to a real model: ikigai --model provider/model`));
  const { pins } = await host.store.pins.status(agent.name);
  return outcome.status === "done" && pins.some(({ uri }) => uri === NEW) ? 0 : 1;
}

async function call(host: Host, { agent }: Settings, name: string, input: object): Promise<void> {
  dataOf(await host.registry.call({ name, arguments: input }, { agent, conversation: "demo" }));
}

/** Lines and nothing else. */
function logScreen(terminal: Terminal): ChatScreen {
  const columns = terminal.conversational === true ? (terminal.columns ?? COLUMNS) : COLUMNS;
  return {
    colours: terminal.colours,
    columns,
    lively: false,
    print: (text) => terminal.printRaw(wrapProse(text, columns)),
    setLive: () => {},
    setStatus: () => {},
    refresh: () => {},
    next: async () => undefined,
    push: () => {},
    ask: async () => "",
    choose: async () => undefined,
    refuseQuestions: () => {},
    [Symbol.dispose]: () => {},
  };
}

function notes(subject: string, lines: number): string {
  return Array.from(
    { length: lines },
    (_, at) => `${subject} ${at + 1}: each part is reached by its address and changed through one set of tools.`,
  ).join("\n");
}
