import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { CallOptions, CallPlan, SourceManager, ToolCatalog, ToolRegistry } from "@ikigai/core/host";
import type { RetryOptions } from "./turn/ask-with-retry.ts";
import type { AutoSummary } from "./context/auto-summary.ts";
import { buildContext, type BuiltContext, type ContextPart, type Manifest } from "./context/context.ts";
import type { CountTokens } from "./context/context-window.ts";
import type { ConversationStore } from "./conversation-store.ts";
import { type CallPart, completeHistory, type Exchange, type Message, toExchanges } from "./messages.ts";
import { runTurn, type TurnListener, type TurnOutcome } from "./turn/run-turn.ts";
import { type Place, systemPrompt } from "./context/system-prompt.ts";
import { describeRules, keepRules, type ToolRules } from "./turn/tool-rules.ts";

/** Who the agent is, as the configuration says it. */
export interface AgentProfile {
  readonly name: string;
  readonly instructions?: string;
  /** The tools it sees. Absent: all. */
  readonly tools?: readonly string[];
  readonly rules?: ToolRules;
}

export interface AgentSessionOptions {
  readonly profile: AgentProfile;
  readonly registry: ToolRegistry;
  readonly sources: SourceManager;
  readonly conversations: ConversationStore;
  readonly conversation: string;
  /** The model of the next turn, asked for at each turn, so that it can be switched in the middle of a conversation. */
  model(): Promise<LanguageModelV3>;
  /** Pinned texts, each with its address and version. */
  pinned(): Promise<readonly ContextPart[]>;
  /** Tokens that the pinned texts have and may have. Absent: there is no store. */
  budget?(): Promise<{ readonly used: number; readonly limit: number }>;
  /** Takes what falls out of the window, so that it can be searched. A crash may repeat an exchange; message ids tell. */
  archive?(exchanges: readonly Exchange[]): Promise<void>;
  readonly summary?: AutoSummary;
  /** Notices of what happened outside since the last turn. */
  notices?(): string | undefined;
  confirmRepeat?(call: CallPart, times: number): Promise<boolean>;
  /** Where the agent works; the date is added. Absent: the prompt says nothing of it. */
  readonly place?: Omit<Place, "date">;
  /** What the parts of the host say to a model that is shown these tools. */
  guidance?(tools: readonly string[]): readonly string[];
  readonly count: CountTokens;
  /** Tokens of a request. Default 150,000. */
  readonly contextLimit?: number;
  /** Tokens kept free for the answer. Default 8,000. */
  readonly reserve?: number;
  readonly maxSteps?: number;
  readonly retry?: RetryOptions;
  readonly now?: () => Date;
  readonly newId?: () => string;
}

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

const CONTEXT_LIMIT = 150_000;
const RESERVE = 8_000;
const SQUEEZE_SHARE = 0.6;
/** A summary takes room of its own, which may push more out. */
const MOST_REBUILDS = 3;

/** A conversation of one agent. The context of each request is built from its parts, never accumulated. */
export function createAgentSession(options: AgentSessionOptions): AgentSession {
  const { profile, conversations, conversation, now = () => new Date(), newId = () => crypto.randomUUID() } = options;
  const rules = profile.rules ?? {};
  const cooldowns = new Map<string, number>();
  let evictedBefore: number | undefined;
  /** The last request of the turn before, against which every request of this turn is compared. */
  let turnBefore: Manifest | undefined;
  let turnNumber = 1;
  let stopping: AbortSignal | undefined;
  /** How many evicted exchanges the summary in the request that was built last tells of. */
  let told = 0;

  async function build(messages: readonly Message[], catalog: ToolCatalog, squeeze: number): Promise<BuiltContext> {
    let built = await buildOnce(messages, catalog, squeeze);
    // Exchanges that leave the window are summarised before the request, or the model would have neither the texts
    // nor the summary.
    for (let tries = 0; tries < MOST_REBUILDS && built.evicted.length > 0; tries++) {
      if (options.summary === undefined || told >= built.evicted.length) break;
      await untilStopped(options.summary.settled());
      if (options.summary.covers <= told) break;
      built = await buildOnce(messages, catalog, squeeze);
    }
    await conversations.recordManifest(conversation, built.manifest, turnNumber);
    return built;
  }

  /** Waits, unless the turn is stopped meanwhile. */
  async function untilStopped(work: Promise<unknown> | undefined): Promise<void> {
    const signal = stopping;
    if (signal === undefined) return void (await work);
    let stop = (): void => {};
    const stopped = new Promise<void>((resolve) => (stop = resolve));
    signal.addEventListener("abort", stop, { once: true });
    if (!signal.aborted) await Promise.race([work, stopped]);
    signal.removeEventListener("abort", stop);
  }

  async function buildOnce(
    messages: readonly Message[],
    { cards }: ToolCatalog,
    squeeze: number,
  ): Promise<BuiltContext> {
    const [budget, pinned] = await Promise.all([options.budget?.(), options.pinned()]);
    const guidance = systemPrompt({
      ...(profile.instructions !== undefined && { instructions: profile.instructions }),
      sources: options.sources.status(),
      cards,
      ...(budget !== undefined && { budget }),
      rules: describeRules(rules),
      ...(options.guidance !== undefined && { parts: options.guidance(cards.map(({ name }) => name)) }),
      ...(options.place !== undefined && { place: { ...options.place, date: now() } }),
    });
    const before = (evictedBefore ??= turnBefore?.evicted ?? 0);
    const summary = options.summary?.part(before);
    told = summary === undefined ? 0 : (options.summary?.covers ?? 0);
    const built = buildContext({
      parts: [
        {
          kind: "guidance",
          source: "system prompt",
          version: hash(guidance),
          text: guidance,
          reason: "what is mounted and allowed",
        },
        ...pinned,
        ...(summary === undefined ? [] : [summary]),
      ],
      cards,
      messages,
      limit: Math.floor((options.contextLimit ?? CONTEXT_LIMIT) * SQUEEZE_SHARE ** squeeze),
      reserve: options.reserve ?? RESERVE,
      count: options.count,
      evictedBefore: before,
      ...(turnBefore !== undefined && { previous: turnBefore }),
    });
    const fresh = built.evicted.slice(before);
    evictedBefore = built.evicted.length;
    if (fresh.length > 0) await options.archive?.(fresh);
    options.summary?.evicted(built.evicted);
    return built;
  }

  async function turn(
    text: string | undefined,
    signal: AbortSignal,
    listener: TurnListener | undefined,
  ): Promise<TurnOutcome | undefined> {
    stopping = signal;
    // The model is opened before anything is stored: without a model there is no turn.
    const model = await options.model();
    const notice = options.notices?.();
    const at = now().toISOString();
    const opening: Message[] = [
      ...(notice === undefined ? [] : [{ role: "event" as const, id: newId(), at, text: notice }]),
      ...(text === undefined ? [] : [{ role: "user" as const, id: newId(), at, text }]),
    ];
    if (opening.length === 0) return undefined;
    // A store may keep less than was said, such as no secrets; this turn sees all of it.
    const before = await conversations.messages(conversation);
    turnBefore = await conversations.lastManifest(conversation);
    turnNumber = toExchanges([...before, ...opening]).length;
    await conversations.append(conversation, opening);
    return runTurn([...before, ...opening], {
      model,
      catalog: (keeper) =>
        options.registry.snapshot({
          select: (name) => (profile.tools?.includes(name) ?? true) && keeper.shows(name),
          ...(rules.allowed_operations !== undefined && { allowed: rules.allowed_operations }),
        }),
      build,
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
    async compact(signal) {
      const exchanges = toExchanges(completeHistory(await conversations.messages(conversation)));
      const last = await conversations.lastManifest(conversation);
      if (exchanges.length === 0 || last === undefined || options.summary === undefined) return 0;
      const before = (evictedBefore ??= last.evicted ?? 0);
      await options.archive?.(exchanges.slice(before));
      stopping = signal;
      options.summary.evicted(exchanges);
      await untilStopped(options.summary.settled());
      if (options.summary.covers < exchanges.length) return 0;
      evictedBefore = exchanges.length;
      const kept = await conversations.lastManifest(conversation);
      await conversations.saveManifest(conversation, { ...last, ...kept, evicted: exchanges.length });
      return exchanges.length - before;
    },
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

/** A short name for a text, for telling whether it changed. FNV-1a. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, "0");
}
