import type { CallOptions, CallPlan, ToolCatalog } from "@ikigai/core/host";
import type { AgentSessionOptions } from "./agent-session-options.ts";
import type { Manifest } from "./context/context.ts";
import { createSessionContext } from "./context/session-context.ts";
import { type CallPart, type Message, toExchanges } from "./messages.ts";
import { runTurn, type TurnListener, type TurnOutcome } from "./turn/run-turn.ts";
import { keepRules } from "./turn/tool-rules.ts";

export interface AgentSession {
  /** Contract: never rejects for what the model or a tool does; rejects when the conversation cannot be stored. */
  send(text: string, signal: AbortSignal, listener?: TurnListener): Promise<TurnOutcome>;
  /** A turn that nobody asked for but a stream. Contract: `undefined`, and no request, when nothing happened. */
  wake(signal: AbortSignal, listener?: TurnListener): Promise<TurnOutcome | undefined>;
  /**
   * Leaves everything said so far out of the next requests, in favour of its summary; the archive has the texts.
   *
   * Contract: gives how many exchanges that are; 0, and nothing changes, when there is nothing to shorten or no summary
   * could be written.
   */
  compact(signal: AbortSignal): Promise<number>;
  /** What the last request was made of. */
  manifest(): Promise<Manifest | undefined>;
}

/** A conversation of one agent. */
export function createAgentSession(options: AgentSessionOptions): AgentSession {
  const { profile, conversations, conversation, now = () => new Date(), newId = () => crypto.randomUUID() } = options;
  const rules = profile.rules ?? {};
  const cooldowns = new Map<string, number>();
  const context = createSessionContext(options);

  /** What opens a turn: what happened outside, and what the person said. */
  function openingOf(text: string | undefined): Message[] {
    const notice = options.notices?.();
    const at = now().toISOString();
    return [
      ...(notice === undefined ? [] : [{ role: "event" as const, id: newId(), at, text: notice }]),
      ...(text === undefined ? [] : [{ role: "user" as const, id: newId(), at, text }]),
    ];
  }

  async function turn(
    text: string | undefined,
    signal: AbortSignal,
    listener: TurnListener | undefined,
  ): Promise<TurnOutcome | undefined> {
    // The model is opened before anything is stored: without a model there is no turn.
    const model = await options.model();
    const opening = openingOf(text);
    if (opening.length === 0) return undefined;
    // A store may keep less than was said, such as no secrets; this turn sees all of it.
    const history = [...(await conversations.messages(conversation)), ...opening];
    const before = await conversations.lastManifest(conversation);
    const requests = { number: toExchanges(history).length, before, signal };
    await conversations.append(conversation, opening);
    return runTurn(history, {
      model,
      catalog: (keeper) =>
        options.registry.snapshot({
          select: (name) => (profile.tools?.includes(name) ?? true) && keeper.shows(name),
          ...(rules.allowed_operations !== undefined && { allowed: rules.allowed_operations }),
        }),
      build: (messages, catalog, squeeze) => context.build({ messages, catalog, squeeze }, requests),
      plan: (call, catalog) => planOf(call, catalog, { agent: profile.name, conversation, signal }),
      append: (messages) => conversations.append(conversation, messages),
      keeper: keepRules(rules, cooldowns, () => now().getTime()),
      agent: profile.name,
      conversation,
      signal,
      ...(listener !== undefined && { listener }),
      ...(options.confirmRepeat !== undefined && { confirmRepeat: options.confirmRepeat }),
      ...(options.maxSteps !== undefined && { maxSteps: options.maxSteps }),
      ...(options.retry !== undefined && { retry: options.retry }),
      newId,
      now,
    });
  }

  return {
    send: async (text, signal, listener) => (await turn(text, signal, listener)) as TurnOutcome,
    wake: (signal, listener) => turn(undefined, signal, listener),
    compact: (signal) => context.compact(signal),
    manifest: () => conversations.lastManifest(conversation),
  };
}

/** The plan of a call; absent for one that would fail, which then runs alone and says why. */
async function planOf(
  { id, name, arguments: input }: CallPart,
  catalog: ToolCatalog,
  options: CallOptions,
): Promise<CallPlan | undefined> {
  try {
    return await catalog.plan({ id, name, arguments: input }, options);
  } catch {
    return undefined;
  }
}
