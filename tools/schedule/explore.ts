import { setImmediate as nextTurn } from "node:timers/promises";
import { type Choose, format, type Ran, type Scenario, type Scheduler } from "./run-schedule.ts";

/** What is wrong with how a schedule ended, in words; empty when nothing is. */
export type Judge = (ran: Ran) => readonly string[];

export interface ExploreOptions {
  /** How often an actor may be interrupted although it could go on. */
  readonly interruptions: number;
  /** Schedules at the most. */
  readonly most: number;
}

/**
 * Runs a scenario in every order with at most so many interruptions.
 *
 * Contract: resolves with the number of schedules and whether those were all; throws with the steps of the first schedule
 * that the judge finds fault with.
 */
export async function exploreAll(
  scheduler: Scheduler,
  scenario: Scenario,
  judge: Judge,
  { interruptions, most }: ExploreOptions,
): Promise<{ readonly schedules: number; readonly all: boolean }> {
  const open: { readonly choices: readonly number[]; readonly interrupted: number }[] = [
    { choices: [], interrupted: 0 },
  ];
  // What an actor looks up once in its life it has looked up then: every order that counts begins alike.
  for (let times = 0; times < 2; times++) scheduler.run(scenario, stay);
  let schedules = 0;
  for (let prefix = open.pop(); prefix !== undefined; prefix = open.pop()) {
    if (schedules === most) return { schedules, all: false };
    schedules++;
    if (schedules % 50 === 0) await nextTurn();
    const { choices, interrupted } = prefix;
    // Where two savers wait for each other's lock, a replayed order may leave an actor waiting that went on before: then
    // whoever can goes on, and that order is judged in its place.
    const goOn: Choose = (enabled, last, step) => {
      const chosen = choices[step];
      return chosen !== undefined && enabled.includes(chosen) ? chosen : stay(enabled, last);
    };
    const ran = scheduler.run(scenario, goOn);
    complain(judge(ran), ran);
    const interleaved = ran.steps.slice(ran.steps.length - interleavedLength(ran));
    for (let step = choices.length; step < interleaved.length; step++) {
      const { actor, enabled } = interleaved[step];
      const last = interleaved[step - 1]?.actor;
      for (const other of enabled) {
        if (other === actor) continue;
        const costs = last !== undefined && last !== other && enabled.includes(last) ? 1 : 0;
        if (interrupted + costs > interruptions) continue;
        const before = interleaved.slice(0, step).map((one) => one.actor);
        open.push({ choices: [...before, other], interrupted: interrupted + costs });
      }
    }
  }
  return { schedules, all: true };
}

/** Runs a scenario in orders drawn by `seed`. Contract: as {@link exploreAll}; the failure names the seed. */
export async function exploreSome(
  scheduler: Scheduler,
  scenario: Scenario,
  judge: Judge,
  { seed, schedules }: { readonly seed: number; readonly schedules: number },
): Promise<void> {
  for (let at = 0; at < schedules; at++) {
    if (at % 50 === 0) await nextTurn();
    const random = createRandom(seed + at);
    const switches = 0.05 + random() * 0.6;
    const ran = scheduler.run(scenario, (enabled, last) => {
      if (last !== undefined && enabled.includes(last) && random() > switches) return last;
      return enabled[Math.floor(random() * enabled.length)];
    });
    complain(judge(ran), ran, `seed ${seed + at}: `);
  }
}

function complain(faults: readonly string[], ran: Ran, where = ""): void {
  if (faults.length === 0) return;
  const files = [...ran.files].map(([name, text]) => `${name}: ${JSON.stringify(text)}`).join("\n");
  throw new Error(`${where}${faults.join("; ")}\n${files}\n${JSON.stringify(ran.outcomes)}\n${format(ran.steps)}`);
}

/** Steps of an actor that was killed beforehand are none to choose from. */
function interleavedLength({ steps, outcomes }: Ran): number {
  return steps.filter(({ actor }) => outcomes[actor]?.killed !== true).length;
}

function stay(enabled: readonly number[], last: number | undefined): number {
  return last !== undefined && enabled.includes(last) ? last : enabled[0];
}

/** Numbers from 0 to 1, the same ones for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
