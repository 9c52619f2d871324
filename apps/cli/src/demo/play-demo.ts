import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startMockProvider } from "@ikigai/agent/testing";
import { createMemoryChatStore } from "../chat/chat-store.ts";
import { openTokenCounter } from "../chat/count-tokens.ts";
import { openAgent } from "../chat/open-agent.ts";
import type { ChatScreen } from "../chat/screen/chat-screen.ts";
import { createStyle } from "../chat/screen/style.ts";
import { createTurnView } from "../chat/turn-view.ts";
import { openHost } from "../host.ts";
import type { Terminal } from "../terminal.ts";
import { createDemoAssets } from "./demo-assets.ts";
import { createDemoScript } from "./demo-script.ts";

const LIMIT = 1_000;
const TASK = "Save the architecture notes as ikigai:///blocks/large-doc.md and pin them.";

/**
 * The budget story: a write is refused, the model makes room, tries again and pins.
 *
 * Contract: everything happens in a temporary folder that is gone afterwards; resolves to the exit code.
 */
export async function playDemo(terminal: Terminal): Promise<number> {
  const base = await mkdtemp(join(tmpdir(), "ikigai-demo-"));
  const count = await openTokenCounter();
  const document = notes("Layer", 20);
  await using provider = await startMockProvider(createDemoScript(document));
  const screen = logScreen(terminal);
  const style = createStyle(terminal.colours);
  const settings = {
    root: base,
    stateDirectory: join(base, "state"),
    configDirectory: join(base, "config"),
    agent: "demo",
    approve: "edits" as const,
    json: false,
    quiet: false,
    model: "scripted/demo",
    baseUrl: provider.openAiUrl,
  };
  const host = await openHost(settings, { ...terminal, interactive: false });
  try {
    const assets = createDemoAssets({ "blocks/old-block.md": `${notes("Rule", 9)}\n`.repeat(4) }, LIMIT, count);
    await host.sources.mount({ mount: "ikigai", source: assets.source, options: {} });
    host.registry.register([assets.tool]);
    const store = {
      ...createMemoryChatStore(),
      budget: async () => ({ used: assets.used(), limit: LIMIT }),
    };
    screen.print(
      style.dim("A scripted model, real tools, and a temporary store in memory. No key, nothing leaves this machine."),
    );
    screen.print(
      style.dim(`Budget: ${assets.used()} of ${LIMIT} tokens are pinned; the new notes have ${count(document)}.`),
    );
    screen.print(`${style.bold(">")} ${TASK}`);
    using agent = await openAgent({ host, settings, store, env: {}, warn: (message) => terminal.complain(message) });
    const session = await agent.session(await store.conversations.create(agent.name));
    using view = createTurnView(screen, style);
    const outcome = await session.send(TASK, new AbortController().signal, view);
    view.end(outcome);
    screen.print(
      style.dim(`Budget: ${assets.used()} of ${LIMIT} tokens are pinned. Set a model to go on: ikigai --help`),
    );
    return outcome.status === "done" && assets.pinned.has("blocks/large-doc.md") ? 0 : 1;
  } finally {
    await host.close();
    await rm(base, { recursive: true, force: true });
  }
}

/** Lines and nothing else. */
function logScreen(terminal: Terminal): ChatScreen {
  return {
    colours: terminal.colours,
    columns: 100,
    lively: false,
    print: (text) => terminal.print(text),
    setLive: () => {},
    setStatus: () => {},
    refresh: () => {},
    next: async () => undefined,
    push: () => {},
    ask: async () => "",
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
