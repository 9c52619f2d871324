import { type Approver, type Permit, permitEffects, Refusal } from "./approval.ts";
import type { Audit } from "./audit.ts";
import { boundOutput, type KeepOutput } from "./bound-output.ts";
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
  readonly onDefect?: (error: unknown, call: ToolCall) => void;
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
    if (error instanceof Refusal) state.verdicts = error.verdicts;
    envelope = toFailure(error, call, settings);
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
    settings.onDefect?.(error, call);
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
  using deadline = createDeadline(tool.name, tool.timeoutMs ?? settings.timeoutMs ?? TIMEOUT_MS, signal);
  const input = await checkInput(registered, parseArguments(call), deadline);
  const operation = operationOf(tool, input);
  if (operation !== undefined) state.operation = operation;
  assertOperationAllowed(tool.name, operation, allowed);

  const plan: PlanContext = { ...facts, signal: deadline.signal };
  const permit = async (effects: readonly Effect[]): Promise<Permit> => {
    const preview = async () => tool.preview?.(input, plan);
    const request = { ...facts, ...(operation !== undefined && { operation }), preview, signal: deadline.signal };
    const work = permitEffects(
      effects,
      request,
      settings.policy,
      settings.approver,
      settings.howToAllow ?? HOW_TO_ALLOW,
    );
    const permitted = await deadline.race(deadline.suspend(work));
    state.verdicts = [...state.verdicts, ...permitted.verdicts];
    return permitted;
  };
  const effects = await deadline.race(Promise.resolve(tool.effects(input, plan)));
  const permitted = await permit(effects);
  await recordIntent(settings.audit, { ...facts, ...permitted, ...(operation !== undefined && { operation }), input });
  deadline.signal.throwIfAborted();

  const output: unknown = await deadline.race(
    tool.run(input, {
      ...plan,
      permit: async (more) => void (await permit(more)),
      progress: (message) => onProgress?.(message),
    }),
  );
  const data: unknown = tool.render === undefined ? output : tool.render(output);
  return {
    success: true,
    ...(await boundOutput(facts.callId, data, settings.maxOutputSize ?? MAX_OUTPUT_SIZE, settings.keepOutput)),
  };
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
      hint: `Use only: ${Object.keys(properties as object).join(", ")}.`,
    });
  }
  const checked = await deadline.race(Promise.resolve(tool.input["~standard"].validate(raw)));
  if (checked.issues) throw new IkigaiError("invalid_input", `${tool.name}: ${describeIssues(checked.issues)}`);
  return checked.value;
}

function operationOf(tool: AnyTool, input: unknown): string | undefined {
  return tool.operations === undefined ? undefined : (input as { op: string }).op;
}

function assertOperationAllowed(
  tool: string,
  operation: string | undefined,
  allowed: AllowedOperations | undefined,
): void {
  if (operation === undefined || allowed === undefined || !Object.hasOwn(allowed, tool)) return;
  const operations = allowed[tool] as readonly string[];
  if (operations.includes(operation)) return;
  throw new IkigaiError("permission_denied", `${tool}: this agent may not use the operation "${operation}"`, {
    hint: `Use one of: ${operations.join(", ")}.`,
  });
}

async function recordIntent(audit: Audit | undefined, intent: Parameters<Audit["intent"]>[0]): Promise<void> {
  try {
    await audit?.intent(intent);
  } catch (cause) {
    throw new IkigaiError("unavailable", `${intent.tool} did not run because the audit could not be written`, {
      cause,
    });
  }
}

function toFailure(error: unknown, call: ToolCall, settings: CallSettings): Envelope {
  if (!IkigaiError.is(error)) {
    settings.onDefect?.(error, call);
    return { success: false, error: `${call.name.slice(0, 80)} failed unexpectedly`, code: "internal" };
  }
  const { code, message, hint, details } = error;
  const limit = settings.maxOutputSize ?? MAX_OUTPUT_SIZE;
  const said = message.length > limit ? `${message.slice(0, limit)}…` : message;
  return { success: false, error: hint === undefined ? said : `${said}. ${hint}`, code, ...(details && { details }) };
}
