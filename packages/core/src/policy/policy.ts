import { messageOf } from "../errors.ts";
import type { JudgedPlace } from "../source/source.ts";

/** What a call may do to the world. `admin` changes how ikigai itself works. */
export type Action = "read" | "create" | "append" | "update" | "delete" | "execute" | "network" | "admin";

/** One thing that a call is about to do. */
export interface Effect {
  readonly action: Action;
  /** An address, a command line, or a host name. */
  readonly target: string;
  /** The command line of `execute`, where the target names a folder too. Absent: the target is it. */
  readonly command?: string;
  /** The folder that the command runs in, relative to the workspace. Absent: its root. */
  readonly cwd?: string;
  /** The absolute path of the target on this machine, links followed. Set by the host alone. Absent: it is no file here. */
  readonly local?: string;
}

/** Where an effect ends once links are followed. */
export interface EffectPlaces {
  /** The effect at its final place in the same mount. Layers judge it, and a grant must cover it too. */
  readonly final: Effect;
  /** The same text under other names: in other mounts, or as other links to the same file. Layers judge them. */
  readonly others?: readonly Effect[];
  /** Opinion that comes from following the links itself, such as that nobody can see where they end. */
  readonly opinion?: Opinion;
  /** The place that the source has to find again when the call runs. */
  readonly place?: JudgedPlace;
}

export type Decision = "allow" | "ask" | "deny";

/** Who can answer an ask: the approval mode, a grant that names the target, or only a person. */
export type AskNeeds = "mode" | "grant" | "person";

/** What one layer thinks of one effect. */
export interface Opinion {
  readonly decision: Decision;
  /** Why, for people: the rule, and the file it stands in. */
  readonly reason: string;
  /** Meaningful on `ask`; `mode` unless said otherwise. */
  readonly needs?: AskNeeds;
  /** The person to ask, when it is a certain one. */
  readonly person?: string;
}

/** Who is calling what. Facts a layer may judge by. */
export interface CallFacts {
  readonly tool: string;
  readonly agent: string;
  readonly conversation: string;
  /** The program through which the call came, as it names itself. Absent: ours. Proves nothing. */
  readonly client?: string;
  /** Whether several programs that cannot be told apart may talk in the conversation. Default false. */
  readonly isSharedConversation?: boolean;
}

/**
 * Judges one effect, or has no opinion.
 *
 * Contract: changes nothing, since a dry run asks it too. Layers can only tighten each other.
 */
export interface PolicyLayer {
  readonly name: string;
  judge(effect: Effect, facts: CallFacts): Opinion | undefined | Promise<Opinion | undefined>;
  /** Judges a call that touches nothing, so that a rule for a tool holds for it too. Absent: no opinion. */
  judgeCall?(facts: CallFacts): Opinion | undefined | Promise<Opinion | undefined>;
}

/** What one layer said, in the order in which they were asked. */
export interface TraceStep extends Opinion {
  readonly layer: string;
}

/** The decision on one effect, and everything that led to it. */
export interface Verdict {
  readonly effect: Effect;
  readonly decision: Decision;
  readonly needs: AskNeeds;
  readonly person?: string;
  readonly trace: readonly TraceStep[];
  /** Where the target leads. Absent: nowhere else, or nobody looked. */
  readonly place?: JudgedPlace;
}

/** `ask` asks for all but reads, `edits` allows creates and updates, `all` whatever no layer denies, `none` only reads. */
export type ApprovalMode = "ask" | "edits" | "all" | "none";

/** A standing answer of the user. */
export interface Grant {
  readonly name: string;
  covers(effect: Effect, facts: CallFacts): boolean;
  /** Whether the grant names the target itself or a pattern around it, rather than a kind of action. */
  readonly namesTarget: boolean;
}

export interface PolicyOptions {
  /** Asked in this order; the strictest opinion counts. A function is asked at each call, for layers that come and go. */
  readonly layers?: readonly PolicyLayer[] | (() => readonly PolicyLayer[]);
  /**
   * Where an effect ends, asked once and for all layers, grants and modes alike. Absent: nothing is followed.
   *
   * Contract: `undefined` when the target can lead nowhere else; throwing denies.
   */
  readonly follow?: (effect: Effect) => EffectPlaces | undefined | Promise<EffectPlaces | undefined>;
  /** Asked at each call, so that it may change while running. Default `ask`. */
  readonly mode?: () => ApprovalMode;
  /** Asked at each call. Default none. */
  readonly grants?: () => readonly Grant[];
  /** Where mode `edits` may edit: the workspace and the store. Default everywhere. */
  readonly editable?: (effect: Effect) => boolean;
}

export interface Policy {
  /** Contract: never throws for what a layer says; a layer that throws counts as deny. Changes nothing. */
  judge(effect: Effect, facts: CallFacts): Promise<Verdict>;
  /** Judges a call without effects, as `judge` does one effect. Contract: `undefined` when no layer has an opinion. */
  judgeCall?(facts: CallFacts): Promise<Verdict | undefined>;
}

const STRICTNESS: Readonly<Record<Decision, number>> = { allow: 0, ask: 1, deny: 2 };
const NEEDS: Readonly<Record<AskNeeds, number>> = { mode: 0, grant: 1, person: 2 };
const EDITS: ReadonlySet<Action> = new Set<Action>(["create", "append", "update"]);

/** Whether an action changes a text and removes none: what approval mode `edits` covers. */
export function isEdit(action: Action): boolean {
  return EDITS.has(action);
}

/**
 * Combines layers by strictest; mode and grants answer only what the layers leave open.
 *
 * A grant therefore never opens what a layer or the mode denied, and no mode allows what needs a person.
 */
export function createPolicy(options: PolicyOptions = {}): Policy {
  const { layers: given = [] } = options;
  const layers = typeof given === "function" ? given : (): readonly PolicyLayer[] => given;
  const mode = options.mode ?? ((): ApprovalMode => "ask");
  const grants = options.grants ?? ((): readonly Grant[] => []);
  const editable = options.editable ?? ((): boolean => true);

  async function traceOf(judge: (layer: PolicyLayer) => Promise<Opinion | undefined>): Promise<TraceStep[]> {
    const trace: TraceStep[] = [];
    for (const layer of layers()) {
      const opinion = await judge(layer);
      if (opinion !== undefined) trace.push({ layer: layer.name, ...opinion });
    }
    return trace;
  }

  async function placesOf(effect: Effect): Promise<EffectPlaces | undefined> {
    try {
      return await options.follow?.(effect);
    } catch (error) {
      const reason = `nobody can say where it leads: ${messageOf(error)}`;
      return { final: effect, opinion: { decision: "deny", reason } };
    }
  }

  return {
    async judgeCall(facts) {
      const trace = await traceOf((layer) => opinionOf(() => layer.judgeCall?.(facts)));
      const strictest = trace.reduce<TraceStep | undefined>(stricterOpinion, undefined);
      return strictest && verdict({ action: "execute", target: facts.tool }, strictest, trace);
    },
    async judge(effect, facts) {
      const { final = effect, others = [], opinion, place } = (await placesOf(effect)) ?? {};
      const judged = distinct([effect, final, ...others]);
      const held = place === undefined ? {} : { place };
      const trace: TraceStep[] = [
        ...(opinion === undefined ? [] : [{ layer: "link", ...opinion }]),
        ...(await traceOf((layer) => strictestOn(layer, judged, facts))),
      ];
      const strictest = trace.reduce<TraceStep | undefined>(stricterOpinion, undefined);
      if (strictest?.decision === "deny") return { ...verdict(effect, strictest, trace), ...held };

      const open = strictest?.decision === "ask" ? strictest : undefined;
      const isEditable = (one: Effect): boolean => editable(one) && editable(final);
      const byMode = { layer: "mode", ...modeOpinion(mode(), effect, open, isEditable) };
      const answers = byMode.decision === "deny" || (open?.needs ?? "mode") === "mode";
      if (answers) trace.push(byMode);
      if (answers && byMode.decision !== "ask") return { ...verdict(effect, byMode, trace), ...held };

      const asked = open ?? byMode;
      const needs = asked.needs ?? "mode";
      const covers = (one: Grant): boolean => fits(one, needs, effect, facts) && fits(one, needs, final, facts);
      const grant = needs === "person" ? undefined : grants().find(covers);
      if (grant === undefined) return { ...verdict(effect, asked, trace), ...held };
      const allowed: TraceStep = { layer: "grant", decision: "allow", reason: grant.name };
      trace.push(allowed);
      return { ...verdict(effect, allowed, trace), ...held };
    },
  };
}

/**
 * Why a verdict is what it is: the reason of the step that decided, which need not be the last.
 *
 * Where a layer leaves the answer to the approval mode and the mode asks, it is the mode that asks.
 */
export function decidingReason({ decision, needs, trace }: Pick<Verdict, "decision" | "needs" | "trace">): string {
  const steps = trace.filter((step) => step.decision === decision);
  const fitting = steps.filter((step) => (step.needs ?? "mode") === needs);
  const decided = fitting.find(({ layer }) => layer === "mode") ?? fitting[0] ?? steps[0];
  return decided?.reason ?? "no rule allows it";
}

function fits(grant: Grant, needs: AskNeeds, effect: Effect, facts: CallFacts): boolean {
  return (needs !== "grant" || grant.namesTarget) && grant.covers(effect, facts);
}

async function opinionOf(judge: () => ReturnType<PolicyLayer["judge"]>): Promise<Opinion | undefined> {
  try {
    return await judge();
  } catch (error) {
    return { decision: "deny", reason: `it could not be decided: ${messageOf(error)}` };
  }
}

/** What a layer says of all places of one effect: the strictest, and of which place it is when it is another. */
async function strictestOn(
  layer: PolicyLayer,
  [asked, ...others]: readonly Effect[],
  facts: CallFacts,
): Promise<Opinion | undefined> {
  let strictest = asked && (await opinionOf(() => layer.judge(asked, facts)));
  for (const other of others) {
    const opinion = await opinionOf(() => layer.judge(other, facts));
    if (opinion === undefined || (strictest !== undefined && !isStricter(opinion, strictest))) continue;
    strictest = { ...opinion, reason: `it leads to ${other.target}: ${opinion.reason}` };
  }
  return strictest;
}

/** The effects by target, each once. The one that was asked for gets the path of its final place when it is the same. */
function distinct(effects: readonly Effect[]): readonly Effect[] {
  const found = new Map<string, Effect>();
  for (const effect of effects) found.set(effect.target, { ...found.get(effect.target), ...effect });
  return [...found.values()];
}

/** The stricter of two opinions, the first where they are equal. Contract: absent only when both are. */
export function stricterOpinion<O extends Opinion>(first: O | undefined, second: O | undefined): O | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return isStricter(second, first) ? second : first;
}

function isStricter(next: Opinion, worst: Opinion): boolean {
  const byDecision = STRICTNESS[next.decision] - STRICTNESS[worst.decision];
  return byDecision === 0 ? NEEDS[next.needs ?? "mode"] > NEEDS[worst.needs ?? "mode"] : byDecision > 0;
}

function modeOpinion(
  mode: ApprovalMode,
  effect: Effect,
  asked: Opinion | undefined,
  editable: (effect: Effect) => boolean,
): Opinion {
  const { action } = effect;
  const reason = `approval mode "${mode}"`;
  if (mode === "all") return { decision: "allow", reason };
  if (action === "read" && asked === undefined) return { decision: "allow", reason: "reads need no approval" };
  if (mode === "none" && action !== "read") return { decision: "deny", reason: `${reason} allows reads only` };
  if (mode === "edits" && isEdit(action) && asked === undefined && editable(effect)) {
    return { decision: "allow", reason };
  }
  return { decision: "ask", reason: `${reason} asks before ${action}` };
}

function verdict(effect: Effect, decided: TraceStep, trace: readonly TraceStep[]): Verdict {
  const { decision, needs = "mode", person } = decided;
  return { effect, decision, needs, trace, ...(person !== undefined && { person }) };
}
