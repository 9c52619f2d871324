import type { LanguageModelV3 } from "@ai-sdk/provider";
import { type Effect, type Envelope, IkigaiError } from "@ikigai/core";
import type { CallPlan, ToolCatalog } from "@ikigai/core/host";
import { askWithRetry, RequestTooLong, type RetryOptions } from "./ask-with-retry.ts";
import type { BuiltContext, Manifest } from "../context/context.ts";
import type { CallPart, Message } from "../messages.ts";
import type { ModelReply, TokenUsage } from "../model/model.ts";
import { watchRepeats } from "./repeated-calls.ts";
import { runCalls } from "./run-calls.ts";
import type { RuleKeeper } from "./tool-rules.ts";

/** What happens in a turn, as it happens. */
export interface TurnListener {
  onText?(delta: string): void;
  onRestart?(reason: string): void;
  onReply?(reply: ModelReply): void;
  onCall?(call: CallPart): void;
  /** What a call may do, told just before it does it. */
  onPermitted?(call: CallPart, effects: readonly Effect[]): void;
  onProgress?(call: CallPart, message: string): void;
  onResult?(call: CallPart, envelope: Envelope): void;
  onManifest?(manifest: Manifest): void;
}

export interface TurnOptions {
  readonly model: LanguageModelV3;
  /** The catalog of the next step: taken anew each time, since sources come and go. */
  catalog(keeper: RuleKeeper): ToolCatalog;
  /** Builds the request. `squeeze` grows by one each time the provider said that it was too long. */
  build(messages: readonly Message[], catalog: ToolCatalog, squeeze: number): Promise<BuiltContext>;
  /** The plan of a call, as the catalog makes it; unknown when its effects cannot be told. */
  plan(call: CallPart, catalog: ToolCatalog): Promise<CallPlan | undefined>;
  /** Contract: resolves once the messages are safe. */
  append(messages: readonly Message[]): Promise<void>;
  readonly keeper: RuleKeeper;
  readonly agent: string;
  readonly conversation: string;
  readonly signal: AbortSignal;
  readonly listener?: TurnListener;
  /** Asks whether a call may run that the model makes for the third time in a row. Absent: it may not. */
  confirmRepeat?(call: CallPart, times: number): Promise<boolean>;
  /** Requests in one turn at most. Default 50. */
  readonly maxSteps?: number;
  readonly retry?: RetryOptions;
  readonly newId?: () => string;
  readonly now?: () => Date;
}

export interface TurnOutcome {
  readonly status: "done" | "steps_used_up" | "aborted" | "failed";
  readonly text: string;
  readonly steps: number;
  readonly usage: TokenUsage;
  /** Why the last reply had neither words nor calls. Absent: it had some. */
  readonly empty?: ModelReply["finish"];
  /** Whether a call was refused for want of permission. */
  readonly denied: boolean;
  readonly error?: IkigaiError;
}

const MAX_STEPS = 50;
const MAX_SQUEEZE = 3;

/**
 * One turn: ask, run the calls, answer them, until the model has nothing more to call.
 *
 * Contract: never rejects. What the model said is stored before its calls run, and each result as it comes, so the
 * history is whole after an abort or a crash; every call gets exactly one result; nothing is run twice. A stopped turn
 * ends with what the model had said so far, marked as interrupted.
 */
export async function runTurn(history: readonly Message[], options: TurnOptions): Promise<TurnOutcome> {
  const messages = [...history];
  const repeats = watchRepeats();
  const { signal, listener = {}, keeper, maxSteps = MAX_STEPS } = options;
  let usage: TokenUsage = { input: 0, output: 0, cached: 0 };
  let denied = false;
  let text = "";
  let unfinished = "";
  let steps = 0;
  const outcome = (status: TurnOutcome["status"], error?: IkigaiError): TurnOutcome => ({
    status,
    text,
    steps,
    usage,
    denied,
    ...(error !== undefined && { error }),
  });
  const store = async (message: Message): Promise<void> => {
    messages.push(message);
    await options.append([message]);
  };
  const stopped = async (why?: IkigaiError): Promise<TurnOutcome> => {
    text = unfinished;
    await store({ role: "assistant", ...stamp(options), text: unfinished, calls: [], interrupted: true });
    return outcome("aborted", why);
  };
  const heard: TurnListener = {
    ...listener,
    onText(delta) {
      unfinished += delta;
      listener.onText?.(delta);
    },
    onRestart(reason) {
      unfinished = "";
      listener.onRestart?.(reason);
    },
  };

  try {
    while (steps < maxSteps) {
      steps++;
      keeper.beginStep();
      const catalog = options.catalog(keeper);
      unfinished = "";
      const reply = await ask(messages, catalog, { ...options, listener: heard });
      unfinished = "";
      usage = add(usage, reply.usage);
      text = reply.text;
      listener.onReply?.(reply);
      const calls = withUniqueIds(reply.calls, messages);
      await store({ role: "assistant", ...stamp(options), text: reply.text, calls });
      if (calls.length === 0) {
        const ended = outcome(signal.aborted ? "aborted" : "done");
        return reply.text.trim() === "" ? { ...ended, empty: reply.finish } : ended;
      }

      await runCalls(calls, {
        ...options,
        catalog,
        count: repeats.count,
        async onAnswer(call, envelope) {
          if (!envelope.success && envelope.code === "permission_denied") denied = true;
          listener.onResult?.(call, envelope);
          const { id: callId, name } = call;
          await store({ role: "tool", ...stamp(options), callId, name, envelope: JSON.stringify(envelope) });
        },
      });
      if (signal.aborted) return await stopped();
      if (keeper.exits) return outcome("done");
    }
    return outcome(
      "steps_used_up",
      new IkigaiError("aborted", `The turn ended after ${maxSteps} requests`, {
        hint: "Raise --max-turns, or ask for less at once.",
      }),
    );
  } catch (error) {
    const failure = IkigaiError.is(error)
      ? error
      : new IkigaiError("internal", "The turn failed unexpectedly", { cause: error });
    if (failure.code !== "aborted") return outcome("failed", failure);
    return await stopped(failure).catch(() => outcome("aborted", failure));
  }
}

/** Asks until the request is short enough, or cannot be made shorter. */
async function ask(messages: readonly Message[], catalog: ToolCatalog, options: TurnOptions): Promise<ModelReply> {
  const { listener = {} } = options;
  for (let squeeze = 0; ; squeeze++) {
    const built = await options.build(messages, catalog, squeeze);
    listener.onManifest?.(built.manifest);
    try {
      const heard = {
        onText: (delta: string) => listener.onText?.(delta),
        onRestart: (reason: string) => listener.onRestart?.(reason),
      };
      return await askWithRetry(
        options.model,
        { prompt: built.prompt, tools: built.tools },
        heard,
        options.signal,
        options.retry,
      );
    } catch (error) {
      if (!(error instanceof RequestTooLong) || squeeze >= MAX_SQUEEZE) throw error;
      listener.onRestart?.("the request was too long, so older exchanges are left out");
    }
  }
}

/** Some providers repeat ids between replies; results are matched by id, so each call gets one of its own. */
function withUniqueIds(calls: readonly CallPart[], messages: readonly Message[]): CallPart[] {
  const taken = new Set(
    messages.flatMap((message) => (message.role === "assistant" ? message.calls.map(({ id }) => id) : [])),
  );
  return calls.map((call) => {
    let id = call.id;
    for (let copy = 2; id === "" || taken.has(id); copy++) id = `${call.id}_${copy}`;
    taken.add(id);
    return { ...call, id };
  });
}

function stamp({ newId = () => crypto.randomUUID(), now = () => new Date() }: TurnOptions): { id: string; at: string } {
  return { id: newId(), at: now().toISOString() };
}

function add(left: TokenUsage, right: TokenUsage): TokenUsage {
  return { input: left.input + right.input, output: left.output + right.output, cached: left.cached + right.cached };
}
