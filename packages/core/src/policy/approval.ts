import { IkigaiError, messageOf } from "../errors.ts";
import { type Action, type CallFacts, decidingReason, type Effect, type Policy, type Verdict } from "./policy.ts";
import type { Preview } from "../tool/tool.ts";

/** What a person is asked: one call, with every effect of it that needs an answer. */
export interface ApprovalRequest extends CallFacts {
  readonly callId: string;
  readonly operation?: string;
  /** The checked arguments, as the tool gets them. */
  readonly input: unknown;
  /** The asks, each with the trace that led to it. */
  readonly verdicts: readonly Verdict[];
  /** Computed only when somebody looks. */
  preview(): Promise<Preview | undefined>;
  readonly signal: AbortSignal;
}

export type ApprovalAnswer =
  | { readonly approved: true; readonly by: string }
  | {
      readonly approved: false;
      readonly by?: string;
      /** Read by the model. */
      readonly reason?: string;
      /** Nobody behind this call can be asked, which is not the same as a person's no. `reason` says why not. */
      readonly absent?: true;
      /** Nobody answered in time, which is no person's no either. */
      readonly unanswered?: true;
    };

/** Asks a person. Contract: resolves; rejecting counts as an answer that never came. */
export type Approver = (request: ApprovalRequest) => Promise<ApprovalAnswer>;

/** What to tell whoever cannot be asked: how these effects could be allowed. */
export type HowToAllow = (asked: readonly Verdict[]) => string;

/** What was decided on a call's effects, and who approved what had to be asked. */
export interface Permit {
  readonly verdicts: readonly Verdict[];
  readonly approvedBy?: string;
}

/** A refusal that carries the verdicts it rests on, for the audit. */
export class Refusal extends IkigaiError {
  readonly verdicts: readonly Verdict[];

  constructor(message: string, hint: string, verdicts: readonly Verdict[]) {
    super("permission_denied", message, { hint });
    this.verdicts = verdicts;
  }
}

/**
 * Judges all effects of a call and asks at most once.
 *
 * Contract: resolves when every effect is allowed; throws {@link Refusal} otherwise. Nobody to ask means no.
 */
export async function permitEffects(
  effects: readonly Effect[],
  facts: CallFacts,
  /** Makes the request that a person is shown; called only when somebody is asked. */
  request: () => Omit<ApprovalRequest, "verdicts">,
  policy: Policy,
  approver: Approver | undefined,
  howToAllow: HowToAllow,
): Promise<Permit> {
  const verdicts = await judgeEffects(effects, facts, policy);
  const denied = verdicts.find(({ decision }) => decision === "deny");
  if (denied !== undefined) {
    throw new Refusal(refused(facts.tool, denied), "Do not retry; choose another target or ask the user.", verdicts);
  }
  const asked = verdicts.filter(({ decision }) => decision === "ask");
  const first = asked[0];
  if (first === undefined) return { verdicts };
  const answer = await ask(approver, { ...request(), verdicts: asked });
  if (answer.approved) return { verdicts, approvedBy: answer.by };
  const reason = answer.reason === undefined ? "" : `: ${answer.reason}`;
  if (answer.absent === true) {
    throw new Refusal(`${refused(facts.tool, first)}, and nobody can be asked${reason}`, howToAllow(asked), verdicts);
  }
  const { action, target } = first.effect;
  if (answer.unanswered === true) {
    const hint = "Go on without it, or ask the user to be there and try again.";
    throw new Refusal(`${facts.tool} was not allowed to ${verbOf(action)} ${target}${reason}`, hint, verdicts);
  }
  throw new Refusal(
    `The user refused to let ${facts.tool} ${verbOf(action)} ${target}${reason}`,
    "Do not retry.",
    verdicts,
  );
}

/** What is decided on all effects of a call, and on the call itself when it has none. */
export async function judgeEffects(effects: readonly Effect[], facts: CallFacts, policy: Policy): Promise<Verdict[]> {
  if (effects.length > 0) return Promise.all(effects.map((effect) => policy.judge(effect, facts)));
  const verdict = await policy.judgeCall?.(facts);
  return verdict === undefined ? [] : [verdict];
}

async function ask(approver: Approver | undefined, request: ApprovalRequest): Promise<ApprovalAnswer> {
  if (approver === undefined) return { approved: false, absent: true };
  try {
    const answer: unknown = await approver(request);
    return isAnswer(answer)
      ? answer
      : { approved: false, unanswered: true, reason: "the answer was neither yes nor no" };
  } catch (error) {
    return { approved: false, unanswered: true, reason: `asking failed: ${messageOf(error)}` };
  }
}

/** Whether an approver that no compiler checked answered as its contract says: a text such as "false" is no yes. */
function isAnswer(answer: unknown): answer is ApprovalAnswer {
  if (typeof answer !== "object" || answer === null || !("approved" in answer)) return false;
  return answer.approved === false || (answer.approved === true && "by" in answer && typeof answer.by === "string");
}

function refused(tool: string, verdict: Verdict): string {
  const { action, target } = verdict.effect;
  return `${tool} may not ${verbOf(action)} ${target}: ${decidingReason(verdict)}`;
}

/** An action as a verb that takes its target. */
function verbOf(action: Action): string {
  if (action === "admin") return "change the settings of";
  if (action === "network") return "reach";
  return action === "append" ? "append to" : action;
}
