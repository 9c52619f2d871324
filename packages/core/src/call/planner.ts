import type { Effect } from "../policy/policy.ts";

/** What a call is going to do: what it declared, and either the work or the reason why it will refuse. */
export interface Plan<Work> {
  readonly effects: readonly Effect[];
  readonly work: () => Work;
}

/** A plan from its making to its run. */
export interface Planner<Input extends object, Context, Work> {
  effects(this: void, input: Input, context: Context): Promise<readonly Effect[]>;
  /** What will be worked on, for a preview: the plan stays for `work`. */
  peek(this: void, input: Input, context: Context): Promise<Work>;
  work(this: void, input: Input, context: Context): Promise<Work>;
}

/**
 * Keeps the plan that `effects` made until `run` asks for it, so that what runs is what was declared and approved.
 *
 * Contract: keyed by the checked input itself, which a registry passes to both. Run without `effects`, it plans anew.
 */
export function createPlanner<Input extends object, Context, Work>(
  plan: (input: Input, context: Context) => Promise<Plan<Work>>,
): Planner<Input, Context, Work> {
  const plans = new WeakMap<Input, Plan<Work>>();
  return {
    async effects(input, context) {
      const made = await plan(input, context);
      plans.set(input, made);
      return made.effects;
    },
    async peek(input, context) {
      const made = plans.get(input) ?? (await plan(input, context));
      return made.work();
    },
    async work(input, context) {
      const made = plans.get(input) ?? (await plan(input, context));
      plans.delete(input);
      return made.work();
    },
  };
}

/**
 * Finds what a call's input means once, so that what runs is what was judged, even when another thing of that name
 * appears in between.
 *
 * Contract: keyed by the checked input itself; a failure stays too.
 */
export function oncePerInput<Input extends object, Context extends readonly unknown[], Found>(
  find: (input: Input, ...context: Context) => Promise<Found>,
): (input: Input, ...context: Context) => Promise<Found> {
  const known = new WeakMap<Input, Promise<Found>>();
  return (input, ...context) => {
    const found = known.get(input) ?? find(input, ...context);
    known.set(input, found);
    return found;
  };
}

/** A plan that will only look and then refuse. */
export function refusing<Work>(target: string, error: Error, ...others: readonly string[]): Plan<Work> {
  return {
    effects: [target, ...others].map((one) => ({ action: "read", target: one })),
    work: () => {
      throw error;
    },
  };
}

/** A plan for a text that is not there: it will only look, and `run` says so. */
export function absent<Work>(target: string, work: Work): Plan<Work> {
  return { effects: [{ action: "read", target }], work: () => work };
}
