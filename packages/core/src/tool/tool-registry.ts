import type { Approver, HowToAllow } from "../policy/approval.ts";
import type { Audit } from "../audit.ts";
import type { KeepOutput } from "../call/bound-output.ts";
import type { CallHooks } from "../call/call-hooks.ts";
import {
  type CallOptions,
  type CallPlan,
  type CallRequest,
  callTool,
  planCall,
  type PlannedCall,
} from "../call/call-tool.ts";
import type { ToolCall } from "../call/prepare-call.ts";
import { createRunningCalls } from "../call/running-calls.ts";
import { type AllowedOperations, type RegisteredTool, restrictCard, toCard, type ToolCard } from "./catalog.ts";
import { IkigaiError } from "../errors.ts";
import { createPolicy, type Policy } from "../policy/policy.ts";
import type { AnyTool, Envelope } from "./tool.ts";

/** The tools as they were at one moment: what is advertised is what is called. */
export interface ToolCatalog {
  readonly cards: readonly ToolCard[];
  /** Contract: never rejects. A tool that changed since the snapshot answers `unavailable`. */
  call(call: ToolCall, options?: CallOptions): Promise<Envelope>;
  /** What the call would touch, and what would be decided. Contract: changes nothing; rejects with what it would answer. */
  plan(call: ToolCall, options?: CallOptions): Promise<CallPlan>;
}

export interface SnapshotOptions {
  /** Tools and operations that this agent may use. Anything else is neither shown nor run. */
  readonly allowed?: AllowedOperations;
  /** Narrows the catalog to some tools. Asked once, when the snapshot is taken. */
  readonly select?: (name: string) => boolean;
}

export interface ToolChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export interface ToolRegistry {
  /** Adds tools together or not at all; dispose the result to withdraw exactly these. Refuses taken names. */
  register(tools: readonly AnyTool[]): Disposable;
  snapshot(options?: SnapshotOptions): ToolCatalog;
  /** Calls a tool as it is now. Contract: never rejects. */
  call(call: ToolCall, options?: CallOptions): Promise<Envelope>;
  /** What the call would touch, and what would be decided. Contract: changes nothing; rejects with what it would answer. */
  plan(call: ToolCall, options?: CallOptions): Promise<CallPlan>;
  /** The tool of that name as it is now. */
  get(name: string): AnyTool | undefined;
  /** Calls back after every change. Dispose to stop. */
  onChange(listener: (change: ToolChange) => void): Disposable;
  /**
   * Ends the calls that are under way. A call that comes later is `unavailable`.
   *
   * Contract: what ends by itself within a second is let; the rest is aborted, also what waits for a person. Resolves
   * when every call has its answer.
   */
  close(): Promise<void>;
}

export interface ToolRegistryOptions {
  /** Default: reads are allowed, everything else is asked. */
  readonly policy?: Policy;
  /** Absent means that nobody can be asked, so `ask` becomes `deny`. */
  readonly approver?: Approver;
  /** The hint of a refusal for want of somebody to ask. */
  readonly howToAllow?: HowToAllow;
  /** Says why there is no tool of a name, such as a package that is not installed. Absent: the tools that there are are named. */
  readonly whyAbsent?: (name: string) => IkigaiError | undefined;
  readonly audit?: Audit;
  readonly hooks?: CallHooks;
  /** Called with throws that are not `IkigaiError`. The model sees only the code `internal`. */
  readonly onDefect?: (error: unknown, call: ToolCall) => void;
  /** Characters of JSON an answer's data may have. Default 30,000. */
  readonly maxOutputSize?: number;
  /** Where the whole of a cut answer goes. Absent: it is cut, and says so. */
  readonly keepOutput?: KeepOutput;
  /** Milliseconds a call may take. Default 120,000. */
  readonly timeoutMs?: number;
}

const MAX_TOOLS_AT_ONCE = 1_024;
const MAX_TOOLS_NAMED = 40;
const MAY_FINISH_MS = 1_000;
const CLOSED: Envelope = { success: false, error: "The tools are closed. Open their host again.", code: "unavailable" };

export function createToolRegistry(options: ToolRegistryOptions = {}): ToolRegistry {
  const entries = new Map<string, RegisteredTool>();
  const calls = createRunningCalls();
  const listeners = new Set<{ readonly hear: (change: ToolChange) => void }>();
  const onDefect = (error: unknown, call: ToolCall): void => {
    try {
      options.onDefect?.(error, call);
    } catch {
      // `onDefect` is the last resort: when it throws itself, the caller must not see that.
    }
  };
  const settings = { ...options, onDefect, policy: options.policy ?? createPolicy() };

  function announce(change: ToolChange): void {
    if (change.added.length + change.removed.length === 0) return;
    for (const { hear } of listeners) {
      try {
        hear(change);
      } catch (error) {
        onDefect(error, { name: "tool registry listener", arguments: {} });
      }
    }
  }

  function find(known: ReadonlyMap<string, RegisteredTool>, view: SnapshotOptions, name: string): RegisteredTool {
    const entry = known.get(name);
    if (entry === undefined || visibleCard(entry, view) === undefined) {
      const absent = entries.has(name) ? undefined : options.whyAbsent?.(name);
      throw absent ?? unknownTool(name, visibleCards(known, view));
    }
    if (entries.get(name) !== entry) throw staleTool(name);
    return entry;
  }

  function caller(
    known: ReadonlyMap<string, RegisteredTool>,
    view: SnapshotOptions,
  ): Pick<ToolCatalog, "call" | "plan"> {
    const plans = new WeakMap<CallPlan, MadePlan>();
    const of = (call: ToolCall, callOptions: CallOptions): CallRequest => ({
      find: () => find(known, view, call.name),
      allowed: view.allowed,
      call,
      options: callOptions,
      settings,
    });
    return {
      async call(call, callOptions = {}) {
        using running = calls.begin(callOptions.signal);
        if (running === undefined) return CLOSED;
        return await callTool({
          ...of(call, { ...callOptions, signal: running.signal }),
          planned: (found) => takePlan(plans, { call, options: callOptions, found }),
        });
      },
      async plan(call, callOptions = {}) {
        const { plan, ...made } = await planCall(of(call, callOptions));
        plans.set(plan, { call, options: callOptions, ...made });
        return plan;
      },
    };
  }

  return {
    register(tools) {
      if (tools.length > MAX_TOOLS_AT_ONCE) {
        throw new IkigaiError("invalid_input", `${tools.length} tools at once are more than ${MAX_TOOLS_AT_ONCE}`);
      }
      const added = newEntries(tools, entries);
      for (const [name, entry] of added) entries.set(name, entry);
      announce({ added: [...added.keys()], removed: [] });
      return disposeOnce(() => {
        for (const name of added.keys()) entries.delete(name);
        announce({ added: [], removed: [...added.keys()] });
      });
    },
    snapshot(view = {}) {
      const { select } = view;
      const known = new Map(select === undefined ? entries : [...entries].filter(([name]) => select(name)));
      return {
        cards: visibleCards(known, view),
        ...caller(known, view),
      };
    },
    ...caller(entries, {}),
    get: (name) => entries.get(name)?.tool,
    onChange(listener) {
      const entry = { hear: listener };
      listeners.add(entry);
      return disposeOnce(() => void listeners.delete(entry));
    },
    close: () => calls.end(MAY_FINISH_MS),
  };
}

/** Contract: refuses a name that is taken, or that two of the tools have. */
function newEntries(
  tools: readonly AnyTool[],
  taken: ReadonlyMap<string, RegisteredTool>,
): Map<string, RegisteredTool> {
  const added = new Map<string, RegisteredTool>();
  for (const tool of tools) {
    const card = toCard(tool);
    if (taken.has(tool.name) || added.has(tool.name)) {
      throw new IkigaiError("conflict", `Tool "${tool.name}" is already registered`);
    }
    added.set(tool.name, { tool, card });
  }
  return added;
}

/** What a plan was made for, and what was found out. */
interface MadePlan {
  readonly call: ToolCall;
  readonly options: CallOptions;
  readonly found: RegisteredTool;
  readonly planned: PlannedCall;
}

/** What was planned for this very call of the tool as it is registered now. Contract: once; absent for any other call. */
function takePlan(
  plans: WeakMap<CallPlan, MadePlan>,
  { call, options, found }: Omit<MadePlan, "planned">,
): PlannedCall | undefined {
  const { plan, agent, conversation, client } = options;
  const made = plan && plans.get(plan);
  if (plan === undefined || made === undefined || made.found !== found) return undefined;
  const isSameCall = made.call.name === call.name && made.call.id === call.id && made.call.arguments === call.arguments;
  const { options: by } = made;
  if (!isSameCall || by.agent !== agent || by.conversation !== conversation || by.client !== client) return undefined;
  plans.delete(plan);
  return made.planned;
}

function visibleCards(known: ReadonlyMap<string, RegisteredTool>, view: SnapshotOptions): ToolCard[] {
  const cards: ToolCard[] = [];
  for (const entry of known.values()) {
    const card = visibleCard(entry, view);
    if (card !== undefined) cards.push(card);
  }
  return cards;
}

function visibleCard({ tool, card }: RegisteredTool, { allowed = {} }: SnapshotOptions): ToolCard | undefined {
  return restrictCard(card, tool, Object.hasOwn(allowed, card.name) ? allowed[card.name] : undefined);
}

function unknownTool(name: string, visible: readonly ToolCard[]): IkigaiError {
  const shown = visible.slice(0, MAX_TOOLS_NAMED).map((card) => card.name);
  const more = visible.length - shown.length;
  const rest = more === 0 ? "" : `, and ${more} more`;
  return new IkigaiError("not_found", `No tool named ${JSON.stringify(name.slice(0, 80))}`, {
    hint: shown.length === 0 ? "There are no tools now." : `Use one of: ${shown.join(", ")}${rest}.`,
  });
}

function staleTool(name: string): IkigaiError {
  return new IkigaiError("unavailable", `Tool "${name}" changed since it was offered`, {
    hint: "Look at the current list of tools before calling again.",
  });
}

function disposeOnce(dispose: () => void): Disposable {
  let done = false;
  return {
    [Symbol.dispose]() {
      if (done) return;
      done = true;
      dispose();
    },
  };
}
