import { type Envelope, IkigaiError } from "@ikigai/core";
import type { AllowedOperations, CallFacts, Opinion, PolicyLayer } from "@ikigai/core/host";

/** What an agent may do with its tools, as its configuration says it. */
export interface ToolRules {
  readonly allowed_operations?: AllowedOperations;
  /** After a step in which one of these succeeded the turn is over. */
  readonly exit_loop?: readonly string[];
  /** After a step in which one of these succeeded the model is asked again, even when another call would end the turn. */
  readonly continue_loop?: readonly string[];
  /** A person is asked each time, whatever the approval mode. */
  readonly requires_consent?: readonly string[];
  /** Calls at most in one turn. */
  readonly max_calls?: Readonly<Record<string, number>>;
  /** Seconds between two calls. */
  readonly cooldown?: Readonly<Record<string, number>>;
  /** Tools that must have succeeded in this turn before. */
  readonly ordering?: Readonly<Record<string, readonly string[]>>;
}

/** The rules at work in one turn. */
export interface RuleKeeper {
  /** The model is asked again: what ends the turn is decided anew. */
  beginStep(): void;
  /** Whether the tool is in the catalog of the next step. */
  shows(tool: string): boolean;
  /** Contract: the answer instead of the call when a rule forbids it, and nothing is run. */
  refuse(tool: string): Envelope | undefined;
  /** Counts a call that is about to run. */
  begin(tool: string): void;
  end(tool: string, envelope: Envelope): void;
  /** Whether the turn is over after this step. */
  readonly exits: boolean;
}

/** Contract: `state` outlives the turn, so that a cooldown does too. */
export function keepRules(rules: ToolRules, state: Map<string, number>, now: () => number): RuleKeeper {
  const calls = new Map<string, number>();
  const succeeded = new Set<string>();
  let exits = false;
  let continues = false;

  const reasonAgainst = (tool: string): string | undefined => {
    const most = own(rules.max_calls, tool);
    if (most !== undefined && (calls.get(tool) ?? 0) >= most) return `it may be called ${most} times in a turn`;
    const missing = own(rules.ordering, tool)?.filter((one) => !succeeded.has(one)) ?? [];
    if (missing.length > 0) return `${missing.join(", ")} must come first`;
    const seconds = own(rules.cooldown, tool);
    const left = seconds === undefined ? 0 : (state.get(tool) ?? Number.NEGATIVE_INFINITY) + seconds * 1_000 - now();
    return left > 0 ? `it may be called again in ${Math.ceil(left / 1_000)} s` : undefined;
  };

  return {
    beginStep() {
      exits = false;
      continues = false;
    },
    shows: (tool) => reasonAgainst(tool) === undefined,
    refuse(tool) {
      const reason = reasonAgainst(tool);
      if (reason === undefined) return undefined;
      return { success: false, error: `A rule forbids ${tool} now: ${reason}`, code: "permission_denied" };
    },
    begin(tool) {
      calls.set(tool, (calls.get(tool) ?? 0) + 1);
      state.set(tool, now());
    },
    end(tool, envelope) {
      if (!envelope.success) return;
      succeeded.add(tool);
      if (rules.exit_loop?.includes(tool) === true) exits = true;
      if (rules.continue_loop?.includes(tool) === true) continues = true;
    },
    get exits() {
      return exits && !continues;
    },
  };
}

/** What the system prompt says of the rules. Empty when there are none. */
export function describeRules(rules: ToolRules): string {
  const lines = [
    ...Object.entries(rules.max_calls ?? {}).map(([tool, most]) => `${tool}: at most ${most} calls in a turn.`),
    ...Object.entries(rules.cooldown ?? {}).map(([tool, seconds]) => `${tool}: wait ${seconds} s between two calls.`),
    ...Object.entries(rules.ordering ?? {}).map(([tool, before]) => `${tool}: only after ${before.join(", ")}.`),
    ...(rules.requires_consent ?? []).map((tool) => `${tool}: the user is asked each time.`),
    ...(rules.exit_loop ?? []).map((tool) => `${tool}: ends the turn, so call it last.`),
    ...(rules.continue_loop ?? []).map((tool) => `${tool}: the turn goes on after it, so look at what it gave.`),
    ...Object.entries(rules.allowed_operations ?? {})
      .filter(([, operations]) => operations.length > 0)
      .map(([tool, operations]) => `${tool}: only ${operations.join(", ")}.`),
  ];
  return lines.length === 0 ? "" : `## Rules for tools\n\n${lines.map((line) => `- ${line}`).join("\n")}`;
}

/** `requires_consent` as a layer of the policy. Contract: asks whatever a call touches, also when that is nothing. */
export function consentLayer(rules: (agent: string) => ToolRules): PolicyLayer {
  const judgeCall = ({ tool, agent }: CallFacts): Opinion | undefined =>
    rules(agent).requires_consent?.includes(tool) === true
      ? { decision: "ask", needs: "person", reason: `the agent ${agent} needs consent for ${tool}` }
      : undefined;
  return { name: "agent", judge: (_, facts) => judgeCall(facts), judgeCall };
}

/** Contract: `invalid_input` for a rule that names a tool nobody knows, since it would silently protect nothing. */
export function assertRulesKnow(rules: ToolRules, tools: readonly string[]): void {
  const named = [
    ...Object.keys({ ...rules.allowed_operations, ...rules.max_calls, ...rules.cooldown, ...rules.ordering }),
    ...(rules.exit_loop ?? []),
    ...(rules.continue_loop ?? []),
    ...(rules.requires_consent ?? []),
  ];
  const unknown = named.find((name) => !tools.includes(name));
  if (unknown === undefined) return;
  throw new IkigaiError("invalid_input", `A tool rule names "${unknown}", which is no tool`, {
    hint: `There are: ${tools.join(", ")}.`,
  });
}

function own<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}
