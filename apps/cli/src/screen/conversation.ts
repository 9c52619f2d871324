import { realpathSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { type TurnListener, type TurnOutcome } from "@ikigai/agent";
import { IkigaiError, messageOf } from "@ikigai/core";
import { confirmAbout } from "../terminal/ask-about.ts";
import { askToTrust } from "../terminal/ask-to-trust.ts";
import { followChanges } from "@ikigai/host/parts";
import { type Host } from "@ikigai/host";
import { openTerminalHost } from "../terminal/terminal-host.ts";
import type { Settings } from "../settings.ts";
import { escapeText, type Style, wrapProse } from "@ikigai/terminal";
import { createChatCommands } from "./chat-commands.ts";
import type { Resume } from "../command-line.ts";
import { chooseConversation } from "./choose-conversation.ts";
import { storeChatCommands } from "./slash/store-commands.ts";
import type { ChatContext } from "./chat-context.ts";
import { type StatusFacts, statusLine } from "./chat-status.ts";
import { toTerminal } from "./chat-terminal.ts";
import {
  createLateCompaction,
  createOwnChanges,
  findAgent,
  includeMentions,
  type LateCompaction,
  openAgent,
  openChatStore,
  shortId,
} from "@ikigai/host/agent";
import { findInSources } from "@ikigai/host/names";
import type { ChatScreen, ScreenEvents, Span } from "@ikigai/terminal/screen";
import { BASIC_COMMANDS } from "./slash/basics.ts";
import { MODEL_COMMANDS } from "./slash/with-model.ts";
import { createTurnView, type TurnView } from "./turn-view.ts";
import { ASSET_CHANGES, diffLines } from "@ikigai/host/policy";

export interface ConversationOptions {
  readonly settings: Settings;
  readonly screen: ChatScreen;
  readonly style: Style;
  readonly resume?: Resume;
  readonly onLeave: () => void;
  /** Told when a stream wants a turn. */
  readonly onWake: () => void;
}

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

/** A tool that does not stop must not keep the person from leaving. */
const LEAVE_WITHIN_MS = 2_000;
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
  const { settings, screen, style } = options;
  const terminal = toTerminal(screen, style);
  const store = openChatStore(host);
  const closing = new AbortController();
  const commands = createChatCommands();
  commands.add([...BASIC_COMMANDS, ...MODEL_COMMANDS]);
  const taken = commands.list().map(({ name }) => name);
  commands.add(storeChatCommands(host.commands.list(), taken));
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
  let current = chooseConversation(store, {
    agent: agent.name,
    workspace,
    resume: options.resume,
    ask: terminal.ask,
    say: terminal.note,
    ...(exits !== undefined && { exits }),
  });
  if (options.resume !== undefined) await current;
  current.then(
    () => showStatus().catch(() => {}),
    (error: unknown) => terminal.complain(messageOf(error)),
  );
  let running: AbortController | undefined;
  let working: Promise<void> = Promise.resolve();
  let spent = { input: 0, output: 0 };
  /** Calls that the person made by typing a command, so that /undo knows them. */
  const typedCalls: string[] = [];
  let view: TurnView | undefined;

  async function showStatus(): Promise<void> {
    const show = (stored: Partial<StatusFacts>): void => {
      const facts = {
        model: agent.choice?.model,
        approve: settings.approve,
        spent,
        sources: host.sources.status(),
      };
      screen.setStatus(statusLine({ ...facts, budget: undefined, manifest: undefined, ...stored }));
    };
    if (!host.store.opened) return show({});
    const budget = await store.budget(agent.name);
    const manifest = await store.conversations.lastManifest(await current);
    show({ budget, manifest });
  }

  const context = (signal: AbortSignal): ChatContext => ({
    host,
    settings,
    agent,
    store,
    commands,
    style,
    colours: screen.colours,
    columns: screen.columns,
    signal,
    workspace,
    typedCalls,
    conversation: () => current,
    session: async () => agent.session(await current),
    switchTo: (id) => void (current = Promise.resolve(id)),
    print: (text) => screen.print(text),
    say: terminal.note,
    ask: terminal.ask,
    confirm: (question, asked) => confirmAbout(terminal, question, asked),
    ...(screen.lend !== undefined && { lend: screen.lend }),
    leave: options.onLeave,
  });

  async function turn(
    start: (signal: AbortSignal, shown: TurnListener) => Promise<TurnOutcome | undefined>,
  ): Promise<void> {
    running = new AbortController();
    try {
      using shown = createTurnView(screen, style);
      view = shown;
      const outcome = await start(running.signal, {
        ...shown,
        onPermitted: own.begin,
        onResult(call, envelope) {
          own.end(call, envelope.success);
          shown.onResult?.(call, envelope);
        },
      });
      if (outcome !== undefined) {
        spent = { input: spent.input + outcome.usage.input, output: spent.output + outcome.usage.output };
        shown.end(outcome);
      }
    } finally {
      running = undefined;
      screen.refuseQuestions(false);
    }
  }

  async function send(text: string, pasted: readonly Span[]): Promise<void> {
    await agent.model();
    const asking = new AbortController();
    running = asking;
    const { text: expanded, lines } = await includeMentions(text, pasted, {
      host,
      place: settings,
      confirm: (heading) => confirmAbout(terminal, { heading }, "Send it along?", asking.signal),
    }).finally(() => {
      running = undefined;
      screen.refuseQuestions(false);
    });
    if (asking.signal.aborted) return screen.print(style.dim("Nothing was sent."));
    for (const line of lines) screen.print(style.dim(escapeText(line)));
    const session = await agent.session(await current);
    await turn((signal, shown) => session.send(expanded, signal, shown));
  }

  async function command(line: string): Promise<void> {
    running = new AbortController();
    try {
      await commands.run(line, context(running.signal));
    } finally {
      running = undefined;
      screen.refuseQuestions(false);
    }
  }

  async function guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const prose = (text: string): string => wrapProse(escapeText(text), screen.columns);
      screen.print(style.red(prose(messageOf(error))));
      const hint = IkigaiError.is(error) ? error.hint : undefined;
      if (hint !== undefined) screen.print(style.dim(prose(hint)));
    }
    await showStatus().catch(() => {});
  }

  /** Stops the turn, and waits until what was said so far is kept. */
  async function stopped(): Promise<void> {
    running?.abort();
    await Promise.race([working, wait(LEAVE_WITHIN_MS, undefined, { ref: false })]);
  }

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
    take: (text, pasted = []) =>
      (working = guarded(() => (commands.isCommand(text, pasted) ? command(text) : send(text, pasted)))),
    wake: () =>
      (working = guarded(async () => {
        if (agent.choice === undefined || agent.notices.waiting === 0) return;
        const session = await agent.session(await current);
        await turn((signal, shown) => session.wake(signal, shown));
      })),
    async howToGoOn() {
      await stopped();
      if (!host.store.opened) return undefined;
      const id = await current;
      if ((await store.conversations.messages(id)).length === 0) return undefined;
      const folder = process.cwd() === workspace ? "" : ` --root ${settings.root}`;
      return `To go on with this conversation: ikigai${folder} --continue, or ikigai${folder} --resume ${shortId(id)}`;
    },
    interrupt() {
      if (running === undefined || running.signal.aborted) return false;
      screen.refuseQuestions(true);
      running.abort();
      return true;
    },
    onUnfold() {
      const lines = view?.lastResult ?? [];
      const hidden = lines.length - UNFOLDED;
      if (lines.length === 0) return;
      screen.print([...lines.slice(0, UNFOLDED), ...(hidden > 0 ? [`… ${hidden} more lines`] : [])].join("\n"));
    },
    findNames: (asset, query) => finders.find(asset, query),
    commands: (prefix) => commands.startingWith(prefix),
    async [Symbol.asyncDispose]() {
      await stopped();
      closing.abort();
      if (host.store.opened) await current.then((id) => store.conversations.discardEmpty(id)).catch(() => {});
      agent[Symbol.dispose]();
      await following[Symbol.asyncDispose]();
      await host.close();
    },
  };
}
