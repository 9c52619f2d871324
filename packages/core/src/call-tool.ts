import { type Approver, type Permit, permitEffects, Refusal } from "./approval.ts";
import type { Audit } from "./audit.ts";
import { boundOutput, cutText, type KeepOutput } from "./bound-output.ts";
import type { AllowedOperations, RegisteredTool } from "./catalog.ts";
import { aborted, createDeadline, type Deadline } from "./deadline.ts";
import { IkigaiError } from "./errors.ts";
import type { CallFacts, Effect, Policy, Verdict } from "./policy.ts";
import { describeIssues } from "./schema.ts";
import type { AnyTool, Envelope, PlanContext } from "./tool.ts";

/** A call as a model makes it. */
export interface ToolCall {
  /** Default: a new one. */
  readonly id?: string;
  readonly name: string;
  /** JSON text as the model sent it, or the object it stands for. Unchecked. */
  readonly arguments: unknown;
}

export interface CallOptions {
  /** Default `default`. */
  readonly agent?: string;
  /** Default `default`. */
  readonly conversation?: string;
  readonly signal?: AbortSignal;
  /** Hears how far a long call is. */
  readonly onProgress?: (message: string) => void;
}

interface CallSettings {
  readonly policy: Policy;
  readonly approver?: Approver;
  readonly howToAllow?: string;
  readonly audit?: Audit;
  /** Contract: does not throw. */
  readonly onDefect: (error: unknown, call: ToolCall) => void;
  readonly maxOutputSize?: number;
  readonly keepOutput?: KeepOutput;
  readonly timeoutMs?: number;
}

const MAX_OUTPUT_SIZE = 30_000;
const TIMEOUT_MS = 120_000;
const HOW_TO_ALLOW = "Ask the user to approve it, then call again.";
const NEVER = new AbortController().signal;

/**
 * The way of one call: find, parse, check, is the operation allowed, effects, permit, run, render, bound.
 *
 * Contract: never rejects, answers exactly once, and runs nothing that was not permitted.
 */
export async function callTool(
  find: () => RegisteredTool,
  allowed: AllowedOperations | undefined,
  call: ToolCall,
  options: CallOptions,
  settings: CallSettings,
): Promise<Envelope> {
  const { agent = "default", conversation = "default", signal = NEVER } = options;
  const facts: CallFacts & { callId: string } = {
    callId: call.id ?? crypto.randomUUID(),
    tool: call.name,
    agent,
    conversation,
  };
  const state: { operation?: string; verdicts: readonly Verdict[] } = { verdicts: [] };
  let envelope: Envelope;
  try {
    if (signal.aborted) throw aborted(call.name);
    envelope = await execute(find(), allowed, call, { ...options, signal }, settings, facts, state);
  } catch (error) {
    envelope = await toFailure(error, call, settings);
  }
  try {
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

async function execute(
  registered: RegisteredTool,
  allowed: AllowedOperations | undefined,
  call: ToolCall,
  { signal, onProgress }: CallOptions & { signal: AbortSignal },
  settings: CallSettings,
  facts: CallFacts & { callId: string },
  state: { operation?: string; verdicts: readonly Verdict[] },
): Promise<Envelope> {
  const { tool } = registered;
  const { approver } = settings;
  using deadline = createDeadline(tool.name, tool.timeoutMs ?? settings.timeoutMs ?? TIMEOUT_MS, signal);
  const input = await checkInput(registered, parseArguments(call), deadline);
  const operation = operationOf(tool, input);
  if (operation !== undefined) state.operation = operation;
  assertOperationAllowed(tool, operation, allowed);

  const plan: PlanContext = { ...facts, signal: deadline.signal };
  const permit = async (effects: readonly Effect[]): Promise<Permit> => {
    const preview = async () => tool.preview?.(input, plan);
    const request = { ...facts, ...(operation !== undefined && { operation }), preview, signal: deadline.signal };
    const ask: Approver | undefined = approver && ((asked) => deadline.suspend(approver(asked)));
    deadline.signal.throwIfAborted();
    const work = permitEffects(effects, request, settings.policy, ask, settings.howToAllow ?? HOW_TO_ALLOW);
    try {
      const permitted = await deadline.race(work);
      state.verdicts = [...state.verdicts, ...permitted.verdicts];
      return permitted;
    } catch (error) {
      if (error instanceof Refusal) state.verdicts = [...state.verdicts, ...error.verdicts];
      throw error;
    }
  };
  const effects = await deadline.race(tool.effects(input, plan));
  const permitted = await permit(effects);
  const intent = { ...facts, ...permitted, ...(operation !== undefined && { operation }), input };
  if (settings.audit !== undefined) await deadline.race(recordIntent(settings.audit, intent));
  deadline.signal.throwIfAborted();

  const output: unknown = await deadline.race(
    tool.run(input, {
      ...plan,
      permit: async (more) => void (await permit(more)),
      progress: (message) => {
        try {
          onProgress?.(message);
        } catch (error) {
          settings.onDefect(error, call);
        }
      },
    }),
  );
  const data: unknown = tool.render === undefined ? output : tool.render(output);
  // The tool has run: whatever happens to its long text, that is what the answer says.
  const keep = async (text: string): Promise<string | undefined> => {
    try {
      return await deadline.race(settings.keepOutput?.(facts.callId, text));
    } catch (error) {
      settings.onDefect(error, call);
      return undefined;
    }
  };
  return { success: true, ...(await boundOutput(data, settings.maxOutputSize ?? MAX_OUTPUT_SIZE, keep)) };
}

/** Strict: text that is not exactly one JSON object is never repaired and never run. */
function parseArguments(call: ToolCall): Record<string, unknown> {
  let value = call.arguments;
  if (typeof value === "string") {
    try {
      value = JSON.parse(value);
    } catch (cause) {
      throw new IkigaiError(
        "invalid_input",
        `${call.name}: the arguments are not valid JSON (${(cause as Error).message})`,
        {
          hint: "Send the whole call again as one JSON object.",
          cause,
        },
      );
    }
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  const kind = value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`;
  throw new IkigaiError("invalid_input", `${call.name}: the arguments must be one JSON object, not ${kind}`);
}

async function checkInput(
  { tool, card }: RegisteredTool,
  raw: Record<string, unknown>,
  deadline: Deadline,
): Promise<unknown> {
  const { properties = {}, additionalProperties = false } = card.inputSchema;
  const extra =
    additionalProperties === false && Object.keys(raw).find((key) => !Object.hasOwn(properties as object, key));
  if (typeof extra === "string") {
    throw new IkigaiError("invalid_input", `${tool.name}: unknown field ${JSON.stringify(extra.slice(0, 80))}`, {
      hint: `Use only these fields: ${Object.keys(properties as object).join(", ") || "none"}.`,
    });
  }
  const checked = await deadline.race(tool.input["~standard"].validate(raw));
  if (checked.issues) throw new IkigaiError("invalid_input", `${tool.name}: ${describeIssues(checked.issues)}`);
  return checked.value;
}

function operationOf(tool: AnyTool, input: unknown): string | undefined {
  return tool.operations === undefined ? undefined : (input as { readonly op?: string }).op;
}

function assertOperationAllowed(
  { name, operations }: AnyTool,
  operation: string | undefined,
  allowed: AllowedOperations | undefined,
): void {
  if (operations === undefined || allowed === undefined || !Object.hasOwn(allowed, name)) return;
  const open = (allowed[name] as readonly string[]).filter((one) => Object.hasOwn(operations, one));
  // A call that names no operation leaves the choice to the tool, which may choose a closed one.
  if (operation !== undefined && open.includes(operation)) return;
  const what = operation === undefined ? "a call without op" : `the operation "${operation}"`;
  throw new IkigaiError("permission_denied", `${name}: this agent may not use ${what}`, {
    hint: `Use one of: ${open.join(", ")}.`,
  });
}

async function recordIntent(audit: Audit, intent: Parameters<Audit["intent"]>[0]): Promise<void> {
  try {
    await audit.intent(intent);
  } catch (cause) {
    throw new IkigaiError("unavailable", `${intent.tool} did not run because the audit could not be written`, {
      cause,
    });
  }
}

async function toFailure(error: unknown, call: ToolCall, settings: CallSettings): Promise<Envelope> {
  if (!IkigaiError.is(error)) {
    settings.onDefect(error, call);
    return { success: false, error: `${call.name.slice(0, 80)} failed unexpectedly`, code: "internal" };
  }
  const { code, message, hint, details } = error;
  const limit = settings.maxOutputSize ?? MAX_OUTPUT_SIZE;
  const said = hint === undefined ? message : `${message}. ${hint}`;
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
