import type { Settings } from "../settings.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type ChatStart, startChat } from "./start-chat.ts";

export interface TerminalStart extends ChatStart {
  /** Runs another command of this program. */
  run(args: readonly string[]): Promise<number>;
}

const KEYS = {
  d: "watch the demo",
  c: "connect a client",
  m: "set a model",
  g: "go on without one",
  q: "leave",
};

/**
 * What bare `ikigai` does at a terminal: a conversation, and before it, where there is no model, one short screen.
 *
 * Contract: resolves to the exit code.
 */
export async function startTerminal(settings: Settings, terminal: Terminal, start: TerminalStart): Promise<number> {
  if (settings.model !== undefined || start.resume !== undefined || (await hasModel(settings))) {
    return startChat(settings, start);
  }
  terminal.note(`ikigai in ${settings.root}\n\nThere is no model to talk to yet. One key each:`);
  terminal.note("  [d] demo: a scripted model at work in a store of its own; needs no key");
  terminal.note("  [c] client: give Claude Code, Cursor, Codex or another one this memory");
  terminal.note("  [m] model: choose one and keep its key");
  terminal.note("  [g] go on without one: every /command works");
  for (;;) {
    const key = await terminal.choose({ question: "What now?", keys: KEYS });
    if (key === undefined || key === "q") return 0;
    if (key === "g") return startChat(settings, start);
    if (key === "d") await start.run(["demo"]);
    if (key === "c") await connectClient(terminal, start);
    if (key === "m") {
      const { setModel } = await import("./set-model.ts");
      const chosen = await setModel(settings, terminal);
      if (chosen !== undefined) return startChat({ ...settings, ...chosen }, start);
    }
  }
}

async function connectClient(terminal: Terminal, { run }: TerminalStart): Promise<void> {
  const { CLIENTS } = await import("@ikigai/host/mcp");
  const keys = Object.fromEntries(CLIENTS.map((name, index) => [String(index + 1), name]));
  const key = await terminal.choose({ question: "Which client?", keys: { ...keys, q: "back" } });
  const client = key === undefined ? undefined : keys[key];
  if (client !== undefined) await run(["mcp", "install", client]);
}

/** Whether a configuration that counts names a model. Contract: opens nothing; what is wrong with it is told later. */
async function hasModel(settings: Settings): Promise<boolean> {
  const [{ effectiveConfig }, { chooseModel }] = await Promise.all([
    import("@ikigai/host/configuration"),
    import("@ikigai/host/agent"),
  ]);
  try {
    const config = await effectiveConfig(settings, () => {});
    const agent = config.agents?.find(({ name }) => name === settings.agent);
    return chooseModel([agent ?? {}, config]) !== undefined;
  } catch {
    return true;
  }
}
