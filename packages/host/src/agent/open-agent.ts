import {
  type AgentProfile,
  type AgentSession,
  assertRulesKnow,
  type CallPart,
  type ContextPart,
  type CountTokens,
  createAgentSession,
  createAutoSummary,
  gatherNotices,
  type RetryOptions,
  type StreamNotices,
  summarise,
} from "@ikigai/agent";
import type { StreamNotice } from "@ikigai/core/host";
import type { Host } from "../host.ts";
import type { Place } from "../place/place.ts";
import type { ChatStore } from "./chat-store.ts";
import { createModelSwitch, type ModelSwitch } from "./model-switch.ts";
import { openTokenCounter } from "../tokens/open-token-counter.ts";
import { findAgent, toProfile } from "./profile.ts";

type SessionOptions = Parameters<typeof createAgentSession>[0];
type AutoSummary = ReturnType<typeof createAutoSummary>;

export interface OpenAgentOptions {
  readonly host: Host;
  readonly place: Place & { readonly model?: string; readonly baseUrl?: string };
  readonly store: ChatStore;
  readonly env?: NodeJS.ProcessEnv;
  readonly warn: (message: string) => void;
  confirmRepeat?(call: CallPart, times: number): Promise<boolean>;
  readonly maxSteps?: number;
  readonly retry?: RetryOptions;
  /** Events that are the agent's own doing. */
  readonly ignores?: (notice: StreamNotice) => boolean;
  /** Called with the events that the conversation took in. */
  readonly onTaken?: (notices: readonly StreamNotice[]) => void;
  /** Called when a stream with `wake` has a new event. */
  readonly onWake?: () => void;
}

/** One agent of the configuration with its model, ready for conversations. */
export interface OpenAgent extends ModelSwitch, Disposable {
  readonly name: string;
  readonly count: CountTokens;
  readonly notices: StreamNotices;
  /** Contract: the same session for the same conversation. */
  session(conversation: string): Promise<AgentSession>;
  /** Begins anew with what is stored, as after going back to a mark. */
  forget(conversation: string): void;
  /** Resolves when no summary is being written any more. */
  settled(): Promise<void>;
}

const SUMMARY_TOKENS = 2_000;
const ANSWER_TOKENS = 8_000;
/** Shares of a small context that are kept free for the answer and for the summary. */
const ANSWER_SHARE = 0.25;
const SUMMARY_SHARE = 0.05;

export async function openAgent(options: OpenAgentOptions): Promise<OpenAgent> {
  const { host, place, store, env = process.env } = options;
  const { config, sources } = host;
  const agent = findAgent(config.agents ?? [], place.agent);
  const profile = toProfile(agent);
  // Unknown tools and operations were already reported by the host.
  const { allowed_operations: _, ...rules } = profile.rules ?? {};
  assertRulesKnow(rules, host.toolNames());
  const count = await openTokenCounter();
  const models = createModelSwitch({
    places: [{ model: place.model, base_url: place.baseUrl }, agent, config],
    configDirectory: place.configDirectory,
    env,
  });
  const notices = gatherNotices(sources, {
    wake: (config.sources ?? []).flatMap(({ mount, wake }) => (wake === true ? [mount] : [])),
    ...(options.onWake !== undefined && { onWake: options.onWake }),
    ...(options.ignores !== undefined && { ignores: options.ignores }),
    ...(options.onTaken !== undefined && { onTaken: options.onTaken }),
  });
  const sessions = new Map<string, Promise<AgentSession>>();
  const summaries: AutoSummary[] = [];
  const stop = new AbortController();
  const contextLimit = agent.context_limit ?? config.context_limit;
  const summaryTokens = Math.min(SUMMARY_TOKENS, Math.floor((contextLimit ?? Infinity) * SUMMARY_SHARE));
  const { model } = models;

  async function createSession(conversation: string): Promise<AgentSession> {
    const initial = await store.loadSummary(conversation);
    const summary = createAutoSummary({
      ...(initial !== undefined && { initial }),
      summarise: async (before, exchanges) =>
        summarise(before, exchanges, { model: await model(), budget: summaryTokens, count, signal: stop.signal }),
      save: (state) => store.saveSummary(conversation, state),
      onFailure: options.warn,
    });
    summaries.push(summary);
    return createAgentSession({
      ...sessionOptions(options, { agent, profile, contextLimit }),
      conversation,
      model,
      archive: (exchanges) => store.archive(profile.name, conversation, exchanges),
      summary,
      notices: () => notices.take(),
      count,
    });
  }

  return {
    name: profile.name,
    count,
    notices,
    session(conversation) {
      const known = sessions.get(conversation) ?? createSession(conversation);
      sessions.set(conversation, known);
      return known;
    },
    forget: (conversation) => void sessions.delete(conversation),
    get choice() {
      return models.choice;
    },
    model,
    useModel: models.useModel,
    settled: async () => void (await Promise.all(summaries.map((summary) => summary.settled()))),
    [Symbol.dispose]() {
      stop.abort();
      notices[Symbol.dispose]();
    },
  };
}

interface SessionAgent {
  readonly agent: ReturnType<typeof findAgent>;
  readonly profile: AgentProfile;
  /** Tokens of a request. Absent: the default of a session. */
  readonly contextLimit: number | undefined;
}

/** What every session of an agent is made with. */
function sessionOptions(
  options: OpenAgentOptions,
  { agent, profile, contextLimit }: SessionAgent,
): Omit<SessionOptions, "conversation" | "model" | "count"> {
  const { host, place, store } = options;
  return {
    profile,
    registry: host.registry,
    sources: host.sources,
    conversations: store.conversations,
    pinned: async () => {
      const kept = store.pinned(profile.name);
      const [configured, stored] = await Promise.all([configuredPins(agent.pins ?? [], host, options.warn), kept]);
      return [...configured, ...stored];
    },
    budget: () => store.budget(profile.name),
    guidance: (tools) => host.guidance(tools),
    place: { folder: place.root, platform: process.platform },
    ...(options.confirmRepeat !== undefined && { confirmRepeat: options.confirmRepeat }),
    ...(contextLimit !== undefined && {
      contextLimit,
      reserve: Math.min(ANSWER_TOKENS, Math.floor(contextLimit * ANSWER_SHARE)),
    }),
    ...(options.maxSteps !== undefined && { maxSteps: options.maxSteps }),
    ...(options.retry !== undefined && { retry: options.retry }),
  };
}

/** The texts that the configuration pins. One that cannot be read is said and left out. */
async function configuredPins(
  pins: readonly string[],
  { sources }: Host,
  warn: (message: string) => void,
): Promise<ContextPart[]> {
  const parts: ContextPart[] = [];
  for (const pin of pins) {
    try {
      const route = sources.route(pin);
      const content = await route.source.read(route.address.path);
      if (content === undefined) warn(`the configuration pins ${pin}, and there is no such text`);
      else parts.push({ kind: "pinned", source: route.uri, ...content, reason: "pinned by the configuration" });
    } catch (error) {
      warn(`the pin ${pin} was left out: ${(error as Error).message}`);
    }
  }
  return parts;
}
