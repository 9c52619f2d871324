import type { Effect, Envelope } from "@ikigai/core";
import type { CallPlan, ToolCatalog } from "@ikigai/core/host";
import type { CallPart } from "../messages.ts";
import type { TurnOptions } from "./run-turn.ts";
import { batchCalls, isRead } from "./schedule-calls.ts";

export interface RunCallsOptions extends Pick<
  TurnOptions,
  "agent" | "conversation" | "signal" | "keeper" | "listener" | "plan" | "confirmRepeat"
> {
  readonly catalog: ToolCatalog;
  /** How often the model made a call in a row by now. */
  count(call: CallPart): number;
  /** Takes each answer as it comes. Contract: the next batch waits for it. */
  onAnswer(call: CallPart, envelope: Envelope): Promise<void>;
}

const REPEATS_THAT_ASK = 3;

/**
 * Runs the calls of one reply: those that do not collide side by side, the others one after another.
 *
 * Contract: every call gets exactly one answer. The plan by which a call was scheduled is handed to the call, unless
 * something was changed since, or a person was asked meanwhile: then the call is planned anew.
 */
export async function runCalls(calls: readonly CallPart[], options: RunCallsOptions): Promise<void> {
  const { catalog, count, onAnswer, listener = {} } = options;
  const planned = await Promise.all(calls.map(async (call) => toPlanned(call, await options.plan(call, catalog))));
  let isChanged = false;
  const hear = (call: CallPart, effects: readonly Effect[]): void => {
    isChanged ||= !effects.every(isRead);
    listener.onPermitted?.(call, effects);
  };
  for (const batch of batchCalls(planned)) {
    const holds = !isChanged;
    await Promise.all(
      batch.map(async ({ call, plan }) => {
        const made = holds ? plan : undefined;
        await onAnswer(call, await answer(call, { ...options, times: count(call), plan: made, hear }));
      }),
    );
  }
}

interface Scheduled {
  readonly call: CallPart;
  readonly plan: CallPlan | undefined;
}

function toPlanned(
  call: CallPart,
  plan: CallPlan | undefined,
): { readonly call: Scheduled; readonly effects: readonly Effect[] | undefined } {
  return { call: { call, plan }, effects: plan?.effects };
}

interface AnswerOptions extends Omit<RunCallsOptions, "plan"> {
  readonly times: number;
  readonly plan: CallPlan | undefined;
  hear(call: CallPart, effects: readonly Effect[]): void;
}

async function answer(call: CallPart, options: AnswerOptions): Promise<Envelope> {
  const { catalog, keeper, signal, listener = {}, agent, conversation, times, plan, hear } = options;
  if (signal.aborted)
    return { success: false, error: `${call.name} was not run because the turn was stopped`, code: "aborted" };
  // The rule is asked and the call counted without a pause between, or calls side by side would all pass.
  const refused = (await refuseRepeat(call, options)) ?? keeper.refuse(call.name);
  if (refused !== undefined) return refused;
  keeper.begin(call.name);
  listener.onCall?.(call);
  const envelope = await catalog.call(
    { id: call.id, name: call.name, arguments: call.arguments },
    {
      agent,
      conversation,
      signal,
      onProgress: (message) => listener.onProgress?.(call, message),
      onPermitted: (effects) => hear(call, effects),
      ...(plan !== undefined && times < REPEATS_THAT_ASK && { plan }),
    },
  );
  keeper.end(call.name, envelope);
  return envelope;
}

async function refuseRepeat(
  call: CallPart,
  { times, confirmRepeat }: Pick<AnswerOptions, "times" | "confirmRepeat">,
): Promise<Envelope | undefined> {
  if (times < REPEATS_THAT_ASK || (await confirmRepeat?.(call, times)) === true) return undefined;
  const error = `${call.name} was called with the same arguments ${times} times in a row and is not run again. Try something else`;
  return { success: false, error, code: "conflict" };
}
