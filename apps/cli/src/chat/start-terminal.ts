import type { Settings } from "../settings.ts";
import type { Terminal } from "../terminal.ts";
import { type ChatStart, startChat } from "./start-chat.ts";

/** What bare `ikigai` does at a terminal. Contract: resolves to the exit code. */
export async function startTerminal(settings: Settings, _terminal: Terminal, start: ChatStart): Promise<number> {
  return startChat(settings, start);
}
