import type { ToolCatalog } from "@ikigai/core/host";
import type { AgentSessionOptions } from "../agent-session-options.ts";
import { completeHistory, type Message, toExchanges } from "../messages.ts";
import { describeRules } from "../turn/tool-rules.ts";
import { buildContext, type BuiltContext, type ContextPart, type Manifest } from "./context.ts";
import { systemPrompt } from "./system-prompt.ts";

/** What a request of a turn is built from. */
export interface RequestInput {
  readonly messages: readonly Message[];
  readonly catalog: ToolCatalog;
  /** How often the request was refused as too long. */
  readonly squeeze: number;
}

/** The turn that a request belongs to. */
export interface RequestTurn {
  readonly number: number;
  /** The last request of the turn before, against which every request of this turn is compared. */
  readonly before: Manifest | undefined;
  /** Ends the wait for a summary. */
  readonly signal: AbortSignal;
}

/** The requests of one conversation, with what has left the window already. */
export interface SessionContext {
  /** Builds the context of a request, and records what it is made of. */
  build(input: RequestInput, turn: RequestTurn): Promise<BuiltContext>;
  /** Leaves everything said so far out of the next requests. Contract: as `AgentSession.compact`. */
  compact(signal: AbortSignal): Promise<number>;
}

const CONTEXT_LIMIT = 150_000;
const RESERVE = 8_000;
const SQUEEZE_SHARE = 0.6;
/** A summary takes room of its own, which may push more out. */
const MOST_REBUILDS = 3;

/** The contexts of the requests of one conversation: each is built from its parts, never accumulated. */
export function createSessionContext(options: AgentSessionOptions): SessionContext {
  const { conversations, conversation } = options;
  /** Exchanges that had left the window when the last request was built. */
  let evictedBefore: number | undefined;
  /** How many evicted exchanges the summary in the request that was built last tells of. */
  let told = 0;

  async function buildOnce(input: RequestInput, previous: Manifest | undefined): Promise<BuiltContext> {
    const guided = await guidedParts(options, input.catalog);
    const before = (evictedBefore ??= previous?.evicted ?? 0);
    const summary = options.summary?.part(before);
    told = summary === undefined ? 0 : (options.summary?.covers ?? 0);
    const built = buildContext({
      parts: [...guided, ...(summary === undefined ? [] : [summary])],
      cards: input.catalog.cards,
      messages: input.messages,
      limit: Math.floor((options.contextLimit ?? CONTEXT_LIMIT) * SQUEEZE_SHARE ** input.squeeze),
      reserve: options.reserve ?? RESERVE,
      count: options.count,
      evictedBefore: before,
      ...(previous !== undefined && { previous }),
    });
    const fresh = built.evicted.slice(before);
    evictedBefore = built.evicted.length;
    if (fresh.length > 0) await options.archive?.(fresh);
    options.summary?.evicted(built.evicted);
    return built;
  }

  return {
    async build(input, turn) {
      let built = await buildOnce(input, turn.before);
      // Exchanges that leave the window are summarised before the request, or the model would have neither the texts
      // nor the summary.
      for (let tries = 0; tries < MOST_REBUILDS && built.evicted.length > 0; tries++) {
        if (options.summary === undefined || told >= built.evicted.length) break;
        await untilAborted(options.summary.settled(), turn.signal);
        if (options.summary.covers <= told) break;
        built = await buildOnce(input, turn.before);
      }
      await conversations.recordManifest(conversation, built.manifest, turn.number);
      return built;
    },
    async compact(signal) {
      const exchanges = toExchanges(completeHistory(await conversations.messages(conversation)));
      const last = await conversations.lastManifest(conversation);
      if (exchanges.length === 0 || last === undefined || options.summary === undefined) return 0;
      const before = (evictedBefore ??= last.evicted ?? 0);
      await options.archive?.(exchanges.slice(before));
      options.summary.evicted(exchanges);
      await untilAborted(options.summary.settled(), signal);
      if (options.summary.covers < exchanges.length) return 0;
      evictedBefore = exchanges.length;
      const kept = await conversations.lastManifest(conversation);
      await conversations.saveManifest(conversation, { ...last, ...kept, evicted: exchanges.length });
      return exchanges.length - before;
    },
  };
}

/** The system prompt and the pinned texts. */
async function guidedParts(options: AgentSessionOptions, { cards }: ToolCatalog): Promise<ContextPart[]> {
  const { profile, now = () => new Date() } = options;
  const [budget, pinned] = await Promise.all([options.budget?.(), options.pinned()]);
  const guidance = systemPrompt({
    ...(profile.instructions !== undefined && { instructions: profile.instructions }),
    sources: options.sources.status(),
    cards,
    ...(budget !== undefined && { budget }),
    rules: describeRules(profile.rules ?? {}),
    ...(options.guidance !== undefined && { parts: options.guidance(cards.map(({ name }) => name)) }),
    ...(options.place !== undefined && { place: { ...options.place, date: now() } }),
  });
  return [
    {
      kind: "guidance",
      source: "system prompt",
      version: hash(guidance),
      text: guidance,
      reason: "what is mounted and allowed",
    },
    ...pinned,
  ];
}

/** Waits for `work`, unless `signal` aborts meanwhile. */
async function untilAborted(work: Promise<unknown> | undefined, signal: AbortSignal): Promise<void> {
  let stop = (): void => {};
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  signal.addEventListener("abort", stop, { once: true });
  if (!signal.aborted) await Promise.race([work, stopped]);
  signal.removeEventListener("abort", stop);
}

/** A short name for a text, for telling whether it changed. FNV-1a. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, "0");
}
