import {
  type ApprovalRequest,
  type Approver,
  type HowToAllow,
  judgeEffects,
  type Permit,
  permitEffects,
  Refusal,
} from "../policy/approval.ts";
import type { Audit } from "../audit.ts";
import { boundOutput, cutText, type KeepOutput } from "./bound-output.ts";
import type { AllowedOperations, RegisteredTool } from "../tool/catalog.ts";
import type { CallHooks, HookedCall } from "./call-hooks.ts";
import { aborted, createDeadline, type Deadline } from "./deadline.ts";
import { IkigaiError, messageOf, withHint } from "../errors.ts";
import type { CallFacts, Effect, Policy, Verdict } from "../policy/policy.ts";
import { prepareCall, type PreparedCall, type ToolCall } from "./prepare-call.ts";
import type { JudgedPlace } from "../source/source.ts";
import type { Attachment, Envelope, FormAnswer, FormRequest, PlanContext, Preview } from "../tool/tool.ts";

export interface CallOptions {
  /** Default `default`. */
  readonly agent?: string;
  /** Default `default`. */
  readonly conversation?: string;
  /** The program through which the call came, for the journal and the audit. */
  readonly client?: string;
  /** Whether several programs that cannot be told apart may talk in the conversation. Default false. */
  readonly isSharedConversation?: boolean;
  readonly signal?: AbortSignal;
  /** Hears how far a long call is. */
  readonly onProgress?: (message: string) => void;
  /** Takes what a tool gives besides its data. Absent: the tool says it in its data. */
  readonly onAttachment?: (attachment: Attachment) => void;
  /** Puts a tool's question to a person. Absent: nobody can be asked. */
  readonly onForm?: (request: FormRequest) => Promise<FormAnswer>;
  /** Hears what the call may do, just before it does it. Must not throw. */
  readonly onPermitted?: (effects: readonly Effect[]) => void;
  /**
   * The plan that the same catalog made of this call, so that it is not planned a second time.
   *
   * Contract: for one call, when nothing that it touches changed since. A plan of another call, caller, catalog or
   * registration of the tool is not used, and the call is planned anew. It is judged when it is made, whatever its plan said.
   */
  readonly plan?: CallPlan;
}

interface CallSettings {
  readonly policy: Policy;
  readonly approver?: Approver;
  readonly howToAllow?: HowToAllow;
  readonly audit?: Audit;
  readonly hooks?: CallHooks;
  /** Contract: does not throw. */
  readonly onDefect: (error: unknown, call: ToolCall) => void;
  readonly maxOutputSize?: number;
  readonly keepOutput?: KeepOutput;
  readonly timeoutMs?: number;
}

const MAX_OUTPUT_SIZE = 30_000;
const TIMEOUT_MS = 120_000;
const HOW_TO_ALLOW = "Ask the user to approve it, then call again.";

/** A call and everything that is needed to make it. */
export interface CallRequest {
  /** Contract: throws what the call answers with when there is no such tool. */
  readonly find: () => RegisteredTool;
  /** What this agent may use. */
  readonly allowed: AllowedOperations | undefined;
  readonly call: ToolCall;
  readonly options: CallOptions;
  readonly settings: CallSettings;
  /** What was found out when the call was planned. Absent: it is found out now. */
  readonly planned?: (found: RegisteredTool) => PlannedCall | undefined;
}

/** What a tool says of a call before anything is decided. */
export interface PlannedCall extends PreparedCall {
  readonly effects: readonly Effect[];
}

/** A call that is under way. */
interface RunningCall extends Omit<CallRequest, "find" | "planned"> {
  readonly registered: RegisteredTool;
  readonly facts: CallFacts & { callId: string };
  /** What is known of it however it ends. */
  readonly state: { operation?: string; verdicts: readonly Verdict[] };
  readonly deadline: Deadline;
}

/**
 * The way of one call: find, parse, check, is the operation allowed, effects, permit, run, render, bound.
 *
 * Contract: never rejects, answers exactly once, and runs nothing that was not permitted.
 */
export async function callTool(request: CallRequest): Promise<Envelope> {
  const { call, options, settings } = request;
  const problem = shapeProblem(call);
  if (problem !== undefined) return { success: false, error: problem, code: "invalid_input" };
  const { signal } = options;
  const facts = factsOf(call, options);
  const state: RunningCall["state"] = { verdicts: [] };
  let envelope: Envelope;
  try {
    if (signal?.aborted === true) throw aborted(call.name);
    const registered = request.find();
    const timeoutMs = registered.tool.timeoutMs ?? settings.timeoutMs ?? TIMEOUT_MS;
    using deadline = createDeadline(call.name, timeoutMs, signal);
    const running = { ...request, registered, facts, state, deadline };
    envelope = await execute(running, request.planned?.(registered));
  } catch (error) {
    envelope = await toFailure(error, call, settings);
  }
  try {
    await settings.hooks?.after({ ...facts, operation: state.operation, envelope });
    await settings.audit?.outcome({
      ...facts,
      ...(state.operation !== undefined && { operation: state.operation }),
      verdicts: state.verdicts,
      outcome: envelope.success ? "success" : envelope.code,
      ...(!envelope.success && { error: envelope.error }),
    });
  } catch (error) {
    settings.onDefect(error, call);
  }
  return envelope;
}

/** What a call would do and what would be decided, without doing it. */
export interface CallPlan {
  readonly operation?: string;
  readonly effects: readonly Effect[];
  readonly verdicts: readonly Verdict[];
}

/**
 * The way of a call up to its permission, and what the call itself needs of it.
 *
 * Contract: rejects with what the call would answer with; changes nothing.
 */
export async function planCall({
  find,
  call,
  allowed,
  options,
  settings,
}: CallRequest): Promise<{ readonly plan: CallPlan; readonly planned: PlannedCall; readonly found: RegisteredTool }> {
  const registered = find();
  const { tool } = registered;
  using deadline = createDeadline(tool.name, tool.timeoutMs ?? settings.timeoutMs ?? TIMEOUT_MS, options.signal);
  const facts = factsOf(call, options);
  const prepared = await prepareCall(registered, call, allowed, deadline);
  const effects = await deadline.race(tool.effects(prepared.input, planContext(facts, deadline)));
  const { operation } = prepared;
  const verdicts = await deadline.race(judgeEffects(effects, facts, settings.policy));
  const plan = { ...(operation !== undefined && { operation }), effects, verdicts };
  return { plan, planned: { ...prepared, effects: [...effects] }, found: registered };
}

async function execute(running: RunningCall, known: PlannedCall | undefined): Promise<Envelope> {
  const { registered, call, allowed, settings, facts, state, deadline } = running;
  const prepared = known ?? (await prepareCall(registered, call, allowed, deadline));
  const { input, operation } = prepared;
  if (operation !== undefined) state.operation = operation;
  const effects = known?.effects ?? (await deadline.race(registered.tool.effects(input, planContext(facts, deadline))));
  const { hooks, audit } = settings;
  const objection = hooks && (await deadline.race(objectionOf(hooks, { ...facts, operation, input, effects })));
  if (objection !== undefined) {
    state.verdicts = objection.verdicts;
    throw objection;
  }
  const places = new Map<string, JudgedPlace>();
  const permit = createPermit(running, prepared, places);
  const permitted = await permit(effects);
  const intent = { ...facts, ...permitted, ...(operation !== undefined && { operation }), input };
  if (audit !== undefined) await deadline.race(recordIntent(audit, intent));
  deadline.check();
  return answerOf(await runTool(running, input, places, permit), running);
}

type PermitEffects = (effects: readonly Effect[]) => Promise<Permit>;

/** Asks for what a call will touch, and for what its tool asks on the way. Contract: rejects with the refusal. */
function createPermit(
  { registered: { tool }, options, settings, facts, state, deadline }: RunningCall,
  { input, operation }: PreparedCall,
  places: Map<string, JudgedPlace>,
): PermitEffects {
  const { approver, howToAllow = () => HOW_TO_ALLOW } = settings;
  const context = planContext(facts, deadline);
  const preview = async (): Promise<Preview | undefined> => tool.preview?.(input, context);
  const ask: Approver | undefined = approver && ((asked) => deadline.suspend(approver(asked)));
  const request = (): Omit<ApprovalRequest, "verdicts"> => ({
    ...context,
    ...(operation !== undefined && { operation }),
    input,
    preview,
  });
  return async (effects) => {
    deadline.check();
    try {
      const permitted = await deadline.race(permitEffects(effects, facts, request, settings.policy, ask, howToAllow));
      state.verdicts = [...state.verdicts, ...permitted.verdicts];
      for (const { effect, place } of permitted.verdicts) if (place !== undefined) places.set(effect.target, place);
      options.onPermitted?.(effects);
      return permitted;
    } catch (error) {
      if (error instanceof Refusal) state.verdicts = [...state.verdicts, ...error.verdicts];
      throw error;
    }
  };
}

/** Runs the tool of a call that is permitted. */
async function runTool(
  { registered: { tool }, call, options, settings, facts, deadline }: RunningCall,
  input: unknown,
  places: ReadonlyMap<string, JudgedPlace>,
  permit: PermitEffects,
): Promise<unknown> {
  const { onProgress, onAttachment, onForm } = options;
  const safely = (tell: () => void): void => {
    try {
      tell();
    } catch (error) {
      settings.onDefect(error, call);
    }
  };
  const output: unknown = await deadline.race(
    tool.run(input, {
      ...facts,
      places,
      get signal() {
        return deadline.signal;
      },
      // The call itself was judged before it ran.
      permit: async (more) => void (more.length > 0 && (await permit(more))),
      progress: (message) => safely(() => onProgress?.(message)),
      ...(onAttachment !== undefined && {
        attach: (attachment: Attachment) => safely(() => onAttachment(attachment)),
      }),
      ...(onForm !== undefined && { askForm: (form: FormRequest) => deadline.suspend(onForm(form)) }),
    }),
  );
  return tool.render === undefined ? output : tool.render(output);
}

/** The answer with what a tool gave. The tool has run: whatever happens to its long text, that is what the answer says. */
async function answerOf(data: unknown, { call, settings, facts, deadline }: RunningCall): Promise<Envelope> {
  const keep = async (text: string): Promise<string | undefined> => {
    try {
      return await deadline.race(settings.keepOutput?.(facts.callId, text, facts.agent));
    } catch (error) {
      settings.onDefect(error, call);
      return undefined;
    }
  };
  return { success: true, ...(await boundOutput(data, settings.maxOutputSize ?? MAX_OUTPUT_SIZE, keep)) };
}

/** Why a call that no compiler checked cannot be made. */
function shapeProblem(call: unknown): string | undefined {
  if (typeof call !== "object" || call === null) return "A call is an object with a name and arguments";
  const { name, id }: { name?: unknown; id?: unknown } = call;
  if (typeof name !== "string") return "A call names its tool: name must be a text";
  return id === undefined || typeof id === "string" ? undefined : "The id of a call must be a text";
}

function factsOf(
  { id = crypto.randomUUID(), name }: ToolCall,
  { agent = "default", conversation = "default", client, isSharedConversation = false }: CallOptions,
): CallFacts & { callId: string } {
  return {
    callId: id,
    tool: name,
    agent,
    conversation,
    ...(client !== undefined && { client }),
    ...(isSharedConversation && { isSharedConversation }),
  };
}

function planContext(facts: CallFacts & { callId: string }, deadline: Deadline): PlanContext {
  return {
    ...facts,
    get signal() {
      return deadline.signal;
    },
  };
}

async function objectionOf(hooks: CallHooks, call: HookedCall): Promise<Refusal | undefined> {
  const opinion = await hooks.before(call);
  if (opinion === undefined) return undefined;
  const step = { layer: "hook", decision: "deny", reason: opinion.reason } as const;
  const verdicts = call.effects.map((effect) => ({ effect, decision: "deny", needs: "mode", trace: [step] }) as const);
  return new Refusal(`A hook denied ${call.tool}: ${opinion.reason}`, "Do not retry; ask the user.", verdicts);
}

async function recordIntent(audit: Audit, intent: Parameters<Audit["intent"]>[0]): Promise<void> {
  try {
    await audit.intent(intent);
  } catch (cause) {
    const why = `${intent.tool} did not run because the audit could not be written: ${messageOf(cause)}`;
    throw new IkigaiError("unavailable", why, { cause });
  }
}

async function toFailure(error: unknown, call: ToolCall, settings: CallSettings): Promise<Envelope> {
  if (!IkigaiError.is(error)) {
    settings.onDefect(error, call);
    return { success: false, error: `${call.name.slice(0, 80)} failed unexpectedly`, code: "internal" };
  }
  const { code, message, hint, details } = error;
  const limit = settings.maxOutputSize ?? MAX_OUTPUT_SIZE;
  const said = withHint(message, hint);
  const failure = { success: false, error: said.length > limit ? `${cutText(said, limit)}…` : said, code } as const;
  if (details === undefined) return failure;
  try {
    const { data } = await boundOutput(details, limit);
    return { ...failure, details: data as typeof details };
  } catch (defect) {
    settings.onDefect(defect, call);
    return failure;
  }
}
