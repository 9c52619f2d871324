import { setTimeout as wait } from "node:timers/promises";
import type { TurnListener, TurnOutcome } from "@ikigai/agent";
import { IkigaiError, messageOf } from "@ikigai/core";
import { includeMentions } from "@ikigai/host/agent";
import { escapeText, wrapProse } from "@ikigai/terminal";
import type { Span } from "@ikigai/terminal/screen";
import { confirmAbout } from "../terminal/ask-about.ts";
import type { ChatContext } from "./chat-context.ts";
import type { ChatParts } from "./chat-parts.ts";
import { type StatusFacts, statusLine } from "./chat-status.ts";
import { createTurnView, type TurnView } from "./turn-view.ts";

/** What runs in a conversation, one thing at a time. */
export interface ChatWork {
  /** Runs a command or sends a message. Contract: never rejects; what goes wrong is shown. */
  take(text: string, pasted: readonly Span[]): Promise<void>;
  /** A turn for what streams said. Contract: never rejects. */
  wake(): Promise<void>;
  /** Stops what is running. Contract: false when there was nothing to stop any more. */
  interrupt(): boolean;
  /** Stops the turn, and waits until what was said so far is kept. */
  stop(): Promise<void>;
  showStatus(): Promise<void>;
  /** The last result in full. Contract: empty when there was none. */
  readonly lastResult: readonly string[];
}

type StartTurn = (signal: AbortSignal, shown: TurnListener) => Promise<TurnOutcome | undefined>;

/** A tool that does not stop must not keep the person from leaving. */
const LEAVE_WITHIN_MS = 2_000;

export function createChatWork(parts: ChatParts): ChatWork {
  const { agent, commands, current, host, own, screen, settings, style, terminal } = parts;
  let running: AbortController | undefined;
  let working: Promise<void> = Promise.resolve();
  let spent = { input: 0, output: 0 };
  /** Calls that the person made by typing a command, so that /undo knows them. */
  const typedCalls: string[] = [];
  let view: TurnView | undefined;

  async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    running = new AbortController();
    try {
      return await work(running.signal);
    } finally {
      running = undefined;
      screen.refuseQuestions(false);
    }
  }

  const turn = (start: StartTurn): Promise<void> =>
    interruptible(async (signal) => {
      using shown = createTurnView(screen, style);
      view = shown;
      const outcome = await start(signal, {
        ...shown,
        onPermitted: own.begin,
        onResult(call, envelope) {
          own.end(call, envelope.success);
          shown.onResult?.(call, envelope);
        },
      });
      if (outcome === undefined) return;
      spent = { input: spent.input + outcome.usage.input, output: spent.output + outcome.usage.output };
      shown.end(outcome);
    });

  async function send(text: string, pasted: readonly Span[]): Promise<void> {
    await agent.model();
    const { included, isStopped } = await interruptible(async (signal) => {
      const confirm = (heading: string): Promise<boolean> =>
        confirmAbout(terminal, { heading }, "Send it along?", signal);
      const included = await includeMentions(text, pasted, { host, place: settings, confirm });
      return { included, isStopped: signal.aborted };
    });
    if (isStopped) return screen.print(style.dim("Nothing was sent."));
    for (const line of included.lines) screen.print(style.dim(escapeText(line)));
    const session = await agent.session(await current.id);
    await turn((signal, shown) => session.send(included.text, signal, shown));
  }

  const runCommand = (line: string): Promise<void> =>
    interruptible((signal) => commands.run(line, chatContext(parts, typedCalls, signal)));

  async function guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      showError(parts, error);
    }
    await showStatus(parts, () => spent).catch(() => {});
  }

  return {
    take: (text, pasted) =>
      (working = guarded(() => (commands.isCommand(text, pasted) ? runCommand(text) : send(text, pasted)))),
    wake: () =>
      (working = guarded(async () => {
        if (agent.choice === undefined || agent.notices.waiting === 0) return;
        const session = await agent.session(await current.id);
        await turn((signal, shown) => session.wake(signal, shown));
      })),
    interrupt() {
      if (running === undefined || running.signal.aborted) return false;
      screen.refuseQuestions(true);
      running.abort();
      return true;
    },
    async stop() {
      running?.abort();
      await Promise.race([working, wait(LEAVE_WITHIN_MS, undefined, { ref: false })]);
    },
    showStatus: () => showStatus(parts, () => spent),
    get lastResult() {
      return view?.lastResult ?? [];
    },
  };
}

async function showStatus(parts: ChatParts, spent: () => NonNullable<StatusFacts["spent"]>): Promise<void> {
  const { agent, current, host, screen, settings, store } = parts;
  const show = (stored: Partial<StatusFacts>): void => {
    const facts = {
      model: agent.choice?.model,
      approve: settings.approve,
      spent: spent(),
      sources: host.sources.status(),
    };
    screen.setStatus(statusLine({ ...facts, budget: undefined, manifest: undefined, ...stored }));
  };
  if (!host.store.opened) return show({});
  const budget = await store.budget(agent.name);
  const manifest = await store.conversations.lastManifest(await current.id);
  show({ budget, manifest });
}

function showError({ screen, style }: ChatParts, error: unknown): void {
  const prose = (text: string): string => wrapProse(escapeText(text), screen.columns);
  screen.print(style.red(prose(messageOf(error))));
  const hint = IkigaiError.is(error) ? error.hint : undefined;
  if (hint !== undefined) screen.print(style.dim(prose(hint)));
}

function chatContext(parts: ChatParts, typedCalls: string[], signal: AbortSignal): ChatContext {
  const { host, settings, agent, store, commands, style, screen, terminal, workspace, current } = parts;
  return {
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
    conversation: () => current.id,
    session: async () => agent.session(await current.id),
    switchTo: (id) => void (current.id = Promise.resolve(id)),
    print: (text) => screen.print(text),
    say: terminal.note,
    ask: terminal.ask,
    confirm: (question, asked) => confirmAbout(terminal, question, asked),
    ...(screen.lend !== undefined && { lend: screen.lend }),
    leave: parts.onLeave,
  };
}
