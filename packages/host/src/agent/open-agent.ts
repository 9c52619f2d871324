import {
  type AgentSession,
  assertRulesKnow,
  type CallPart,
  type ContextPart,
  type CountTokens,
  createAgentSession,
  createAutoSummary,
  gatherNotices,
  openModel,
  type RetryOptions,
  type StreamNotices,
  summarise,
} from "@ikigai/agent";
import type { StreamNotice } from "@ikigai/core/host";
import { openCredentials } from "../configuration/credentials.ts";
import type { Host } from "../host.ts";
import type { Place } from "../place/place.ts";
import type { ChatStore } from "./chat-store.ts";
import { chooseModel, type ModelChoice, noModel, withKey } from "./choose-model.ts";
import { openTokenCounter } from "../tokens/open-token-counter.ts";
import { findAgent, toProfile } from "./profile.ts";

type Model = Awaited<ReturnType<typeof openModel>>;

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
export interface OpenAgent extends Disposable {
  readonly name: string;
  readonly count: CountTokens;
  readonly notices: StreamNotices;
  /** Contract: the same session for the same conversation. */
  session(conversation: string): Promise<AgentSession>;
  /** Begins anew with what is stored, as after going back to a mark. */
  forget(conversation: string): void;
  /** Absent: none is set. */
  readonly choice: ModelChoice | undefined;
  /** Contract: `invalid_input` with how to set one when there is no model. Opened once. */
  model(): Promise<Model>;
  /** Switches the model from the next request on. Contract: when it cannot be opened the one before stays. */
  useModel(name: string, baseUrl?: string): Promise<void>;
  /** Resolves when no summary is being written any more. */
  settled(): Promise<void>;
}

const SUMMARY_TOKENS = 2_000;
const ANSWER_TOKENS = 8_000;
/** Shares of a small context that are kept free for the answer and for the summary. */
const ANSWER_SHARE = 0.25;
const SUMMARY_SHARE = 0.05;

export async function openAgent(options: OpenAgentOptions): Promise<OpenAgent> {
  const { host, place, store, warn, env = process.env } = options;
  const { config, registry, sources } = host;
  const agent = findAgent(config.agents ?? [], place.agent);
  const profile = toProfile(agent);
  // Unknown tools and operations were already reported by the host.
  const { allowed_operations: _, ...rules } = profile.rules ?? {};
  assertRulesKnow(rules, host.toolNames());
  const credentials = openCredentials(place.configDirectory);
  const count = await openTokenCounter();
  const places = [{ model: place.model, base_url: place.baseUrl }, agent, config];
  const notices = gatherNotices(sources, {
    wake: (config.sources ?? []).flatMap(({ mount, wake }) => (wake === true ? [mount] : [])),
    ...(options.onWake !== undefined && { onWake: options.onWake }),
    ...(options.ignores !== undefined && { ignores: options.ignores }),
    ...(options.onTaken !== undefined && { onTaken: options.onTaken }),
  });
  const sessions = new Map<string, Promise<AgentSession>>();
  const summaries: { settled(): Promise<void> }[] = [];
  const stop = new AbortController();
  const contextLimit = agent.context_limit ?? config.context_limit;
  const summaryTokens = Math.min(SUMMARY_TOKENS, Math.floor((contextLimit ?? Infinity) * SUMMARY_SHARE));
  let choice = chooseModel(places);
  let opened: Promise<Model> | undefined;

  const open = async (chosen: ModelChoice): Promise<Model> => {
    const keyed = await withKey(chosen, env, (provider) => credentials.key(provider));
    return openModel({ ...keyed, load: (name) => importFrom(name, place.configDirectory) });
  };
  const model = async (): Promise<Model> => {
    if (choice === undefined) throw noModel();
    const opening = (opened ??= open(choice));
    return opening.catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
  };

  async function createSession(conversation: string): Promise<AgentSession> {
    const initial = await store.loadSummary(conversation);
    const summary = createAutoSummary({
      ...(initial !== undefined && { initial }),
      summarise: async (before, exchanges) =>
        summarise(before, exchanges, { model: await model(), budget: summaryTokens, count, signal: stop.signal }),
      save: (state) => store.saveSummary(conversation, state),
      onFailure: warn,
    });
    summaries.push(summary);
    return createAgentSession({
      profile,
      registry,
      sources,
      conversations: store.conversations,
      conversation,
      model,
      pinned: async () => {
        const kept = store.pinned(profile.name);
        const [configured, stored] = await Promise.all([configuredPins(agent.pins ?? [], host, warn), kept]);
        return [...configured, ...stored];
      },
      budget: () => store.budget(profile.name),
      archive: (exchanges) => store.archive(profile.name, conversation, exchanges),
      summary,
      notices: () => notices.take(),
      count,
      guidance: (tools) => host.guidance(tools),
      place: { folder: place.root, platform: process.platform },
      ...(options.confirmRepeat !== undefined && { confirmRepeat: options.confirmRepeat }),
      ...(contextLimit !== undefined && {
        contextLimit,
        reserve: Math.min(ANSWER_TOKENS, Math.floor(contextLimit * ANSWER_SHARE)),
      }),
      ...(options.maxSteps !== undefined && { maxSteps: options.maxSteps }),
      ...(options.retry !== undefined && { retry: options.retry }),
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
      return choice;
    },
    model,
    async useModel(name, baseUrl) {
      const next = chooseModel([{ model: name, base_url: baseUrl }, ...places]);
      if (next === undefined) throw noModel();
      const model = await open(next);
      choice = next;
      opened = Promise.resolve(model);
    },
    settled: async () => void (await Promise.all(summaries.map((summary) => summary.settled()))),
    [Symbol.dispose]() {
      stop.abort();
      notices[Symbol.dispose]();
    },
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

/** Providers that the user installed beside ikigai or in the folder of the configuration. Never those of a workspace. */
async function importFrom(name: string, configDirectory: string): Promise<unknown> {
  const { resolvePlugin } = await import("../plugins/load-plugin.ts");
  return import(resolvePlugin(name, configDirectory));
}
