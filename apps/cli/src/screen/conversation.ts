import { messageOf } from "@ikigai/core";
import { type LateCompaction, createLateCompaction, shortId } from "@ikigai/host/agent";
import { type Host } from "@ikigai/host";
import { diffLines } from "@ikigai/host/policy";
import type { ScreenEvents, Span } from "@ikigai/terminal/screen";
import { confirmAbout } from "../terminal/ask-about.ts";
import { askToTrust } from "../terminal/ask-to-trust.ts";
import { openTerminalHost } from "../terminal/terminal-host.ts";
import { type ChatParts, type ConversationOptions, openChatParts } from "./chat-parts.ts";
import { statusLine } from "./chat-status.ts";
import { toTerminal } from "./chat-terminal.ts";
import { createChatWork } from "./chat-work.ts";

/** An open conversation behind the screen. */
export interface Conversation extends Pick<ScreenEvents, "findNames" | "commands" | "onUnfold">, AsyncDisposable {
  /**
   * What the person sent: a command or a message, and which parts of it were pasted.
   *
   * Contract: never rejects; what goes wrong is shown.
   */
  take(text: string, pasted?: readonly Span[]): Promise<void>;
  /** A turn for what streams said. */
  wake(): Promise<void>;
  /** What a person types to go on with this conversation. Contract: absent when nothing was said in it. */
  howToGoOn(): Promise<string | undefined>;
  /** Stops what is running. Contract: false when there was nothing to stop any more. */
  interrupt(): boolean;
}

const UNFOLDED = 400;

export async function openConversation(options: ConversationOptions): Promise<Conversation> {
  const { settings, screen, style } = options;
  const terminal = toTerminal(screen, style);
  const compaction = createLateCompaction();
  const host = await openTerminalHost(settings, terminal, {
    background: true,
    trustFolder: (project) => askToTrust(terminal, project),
    assist: {
      compact: compaction.compact,
      confirm: (question, before, after) =>
        confirmAbout(
          terminal,
          { heading: "Proposal:", lines: [question], change: diffLines(before, after) },
          "Agreed?",
        ),
    },
  });
  try {
    const started = host.servers.start();
    // A person need not wait for them, unless an agent's rules name a tool of theirs.
    if (JSON.stringify(host.config.agents ?? []).includes("__")) await started;
    return await converseWith(host, compaction, options);
  } catch (error) {
    await host.close();
    throw error;
  }
}

async function converseWith(
  host: Host,
  compaction: LateCompaction,
  options: ConversationOptions,
): Promise<Conversation> {
  const { settings, screen } = options;
  const parts = await openChatParts(host, compaction, options);
  const { agent, commands, current, finders, store, terminal } = parts;
  const work = createChatWork(parts);
  current.id.then(
    () => work.showStatus().catch(() => {}),
    (error: unknown) => terminal.complain(messageOf(error)),
  );
  screen.setStatus(
    statusLine({
      model: agent.choice?.model,
      approve: settings.approve,
      budget: undefined,
      manifest: undefined,
      sources: host.sources.status(),
    }),
  );
  return {
    take: (text, pasted = []) => work.take(text, pasted),
    wake: () => work.wake(),
    async howToGoOn() {
      await work.stop();
      return howToGoOn(parts);
    },
    interrupt: () => work.interrupt(),
    onUnfold() {
      const lines = work.lastResult;
      const hidden = lines.length - UNFOLDED;
      if (lines.length === 0) return;
      screen.print([...lines.slice(0, UNFOLDED), ...(hidden > 0 ? [`… ${hidden} more lines`] : [])].join("\n"));
    },
    findNames: (asset, query) => finders.find(asset, query),
    commands: (prefix) => commands.startingWith(prefix),
    async [Symbol.asyncDispose]() {
      await work.stop();
      parts.closing.abort();
      if (host.store.opened) await current.id.then((id) => store.conversations.discardEmpty(id)).catch(() => {});
      agent[Symbol.dispose]();
      await parts.following[Symbol.asyncDispose]();
      await host.close();
    },
  };
}

async function howToGoOn({ host, store, current, settings, workspace }: ChatParts): Promise<string | undefined> {
  if (!host.store.opened) return undefined;
  const id = await current.id;
  if ((await store.conversations.messages(id)).length === 0) return undefined;
  const folder = process.cwd() === workspace ? "" : ` --root ${settings.root}`;
  return `To go on with this conversation: ikigai${folder} --continue, or ikigai${folder} --resume ${shortId(id)}`;
}
