import { realpathSync } from "node:fs";
import { type Host } from "@ikigai/host";
import {
  type ChatStore,
  createOwnChanges,
  findAgent,
  type LateCompaction,
  openAgent,
  type OpenAgent,
  openChatStore,
} from "@ikigai/host/agent";
import { findInSources } from "@ikigai/host/names";
import { followChanges } from "@ikigai/host/parts";
import { ASSET_CHANGES } from "@ikigai/host/policy";
import type { Style } from "@ikigai/terminal";
import type { ChatScreen } from "@ikigai/terminal/screen";
import type { Resume } from "../command-line.ts";
import type { Settings } from "../settings.ts";
import { confirmAbout } from "../terminal/ask-about.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type ChatCommands, createChatCommands } from "./chat-commands.ts";
import { toTerminal } from "./chat-terminal.ts";
import { chooseConversation } from "./choose-conversation.ts";
import { BASIC_COMMANDS } from "./slash/basics.ts";
import { storeChatCommands } from "./slash/store-commands.ts";
import { MODEL_COMMANDS } from "./slash/with-model.ts";

export interface ConversationOptions {
  readonly settings: Settings;
  readonly screen: ChatScreen;
  readonly style: Style;
  readonly resume?: Resume;
  readonly onLeave: () => void;
  /** Told when a stream wants a turn. */
  readonly onWake: () => void;
}

/** What a conversation behind a screen is made of. */
export interface ChatParts extends ConversationOptions {
  readonly host: Host;
  readonly terminal: Terminal;
  readonly store: ChatStore;
  readonly commands: ChatCommands;
  /** Tells the agent's own changes from those of others. */
  readonly own: ReturnType<typeof createOwnChanges>;
  readonly agent: OpenAgent;
  readonly following: Awaited<ReturnType<typeof followChanges>>;
  readonly finders: ReturnType<typeof findInSources>;
  readonly workspace: string;
  /** Id of the conversation that is open, which a command may exchange. */
  readonly current: { id: Promise<string> };
  /** Aborts when the conversation is left. */
  readonly closing: AbortController;
}

/** Contract: whoever opens the parts disposes the agent and what follows changes. */
export async function openChatParts(
  host: Host,
  compaction: LateCompaction,
  options: ConversationOptions,
): Promise<ChatParts> {
  const { settings, screen, style } = options;
  const terminal = toTerminal(screen, style);
  const store = openChatStore(host);
  const closing = new AbortController();
  const commands = chatCommandsOf(host);
  const own = createOwnChanges(host.sources);
  const agent = await openAgent({
    host,
    place: settings,
    store,
    warn: terminal.complain,
    onWake: options.onWake,
    // What the stream of assets tells is never the agent's own doing.
    ignores: (notice) => notice.mount !== ASSET_CHANGES && own.includes(notice),
    onTaken: (notices) => following.taken(notices),
    confirmRepeat: ({ name, arguments: given }, times) =>
      confirmAbout(
        terminal,
        { heading: `The same call for the ${times}th time:`, lines: [name, given] },
        "Run it again?",
      ),
  });
  compaction.use(agent);
  const following = await followChanges(host, settings, {
    notify: terminal.note,
    complain: terminal.complain,
    conversation: true,
  });
  const finders = findInSources(host.sources, closing.signal, () => screen.refresh());
  // A new conversation is made while the person types; one to go on with has to be there.
  const exits = findAgent(host.config.agents ?? [], agent.name).rules?.exit_loop;
  const workspace = realpathSync(settings.root);
  const id = chooseConversation(store, {
    agent: agent.name,
    workspace,
    resume: options.resume,
    ask: terminal.ask,
    say: terminal.note,
    ...(exits !== undefined && { exits }),
  });
  if (options.resume !== undefined) await id;
  const opened = { host, terminal, store, commands, own, agent, following, finders, workspace, closing };
  return { ...options, ...opened, current: { id } };
}

/** The commands of a conversation: its own, and those of the host under names that are free. */
function chatCommandsOf(host: Host): ChatCommands {
  const commands = createChatCommands();
  commands.add([...BASIC_COMMANDS, ...MODEL_COMMANDS]);
  const taken = commands.list().map(({ name }) => name);
  commands.add(storeChatCommands(host.commands.list(), taken));
  return commands;
}
