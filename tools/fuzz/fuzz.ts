import { drawCalls, type PlannedCall } from "./calls.ts";
import type { Finding } from "./findings.ts";
import { createRandom } from "./random.ts";
import { runWorld, type WorldReport } from "./run-world.ts";
import type { Stage } from "./stage.ts";
import { planWorld, type WorldPlan } from "./world-plan.ts";

export interface FuzzOptions {
  /** The first world's seed; the next worlds take the numbers after it. */
  readonly seed: number;
  /** Calls in all. Default: no end. */
  readonly calls?: number;
  /** Milliseconds in all. Default: no end. */
  readonly withinMs?: number;
  /** Calls of each world. Default 1,000. */
  readonly perWorld?: number;
  /** Told of each world as it ends. */
  readonly onWorld?: (report: WorldReport, ms: number) => void;
  /** Whether findings of this kind end the run. Default: all do. */
  readonly stops?: (finding: Finding) => boolean;
}

/** A finding, and the world that shows it. */
export interface FoundInWorld extends Finding {
  readonly plan: WorldPlan;
}

const NUMBERS = ["succeeded", "changed", "asked", "started", "undone"] as const;
const PHASES = ["begin", "calls", "look", "rows", "undo"] as const;

export interface FuzzReport {
  readonly calls: number;
  readonly worlds: number;
  readonly ms: number;
  readonly totals: Readonly<Record<(typeof NUMBERS)[number], number>>;
  /** Milliseconds of all worlds by what they were spent on. */
  readonly spent: Readonly<Record<(typeof PHASES)[number], number>>;
  /** Milliseconds of processor time of the servers. */
  readonly serverMs: number;
  readonly findings: readonly FoundInWorld[];
}

const PER_WORLD = 1_000;
/** Calls of a world that are processes of their own, which cost a hundred times more. */
const PROCESSES = 2;

/** The calls of a world, given by its seed alone. */
export function callsOf(seed: number, count: number): PlannedCall[] {
  const plan = planWorld(seed);
  const random = createRandom(seed ^ 0x5bd1e995);
  const calls: PlannedCall[] = [];
  while (calls.length < count) calls.push(...drawCalls(random, plan));
  const every = Math.floor(count / PROCESSES);
  return calls
    .slice(0, count)
    .map((call, at) => (every > 20 && at % every === every - 1 ? { ...call, via: "tool" } : call));
}

/**
 * Runs worlds until calls or time are used up, one at a time on each stage.
 *
 * Contract: a seed makes the same world and calls, whichever stage it runs on.
 */
export async function fuzz(stages: readonly Stage[], options: FuzzOptions): Promise<FuzzReport> {
  const {
    seed,
    calls: limit = Infinity,
    withinMs = Infinity,
    perWorld = PER_WORLD,
    onWorld,
    stops = () => true,
  } = options;
  const began = performance.now();
  const totals = { succeeded: 0, changed: 0, asked: 0, started: 0, undone: 0 };
  const spent = { begin: 0, calls: 0, look: 0, rows: 0, undo: 0 };
  const findings: FoundInWorld[] = [];
  let planned = 0;
  let calls = 0;
  let serverMs = 0;
  let worlds = 0;
  let next = seed;
  let isStopped = false;
  const runWorlds = async (stage: Stage): Promise<void> => {
    while (!isStopped && planned < limit && performance.now() - began < withinMs) {
      const at = performance.now();
      const count = Math.min(perWorld, limit - planned);
      const plan = planWorld(next++);
      planned += count;
      const report = await runWorld(stage, plan, callsOf(plan.seed, count));
      onWorld?.(report, performance.now() - at);
      for (const name of NUMBERS) totals[name] += report[name];
      for (const name of PHASES) spent[name] += report.spent[name];
      findings.push(...report.findings.map((finding) => ({ ...finding, plan })));
      serverMs += report.serverMs;
      worlds += 1;
      calls += report.calls;
      if (report.findings.some(stops)) isStopped = true;
    }
  };
  await Promise.all(stages.map(runWorlds));
  return { calls, worlds, ms: performance.now() - began, totals, spent, serverMs, findings };
}

/** One line that says how much was done, how fast, and what the time went to. */
export function summaryOf({ calls, worlds, ms, totals, spent, serverMs }: FuzzReport): string {
  const all = PHASES.reduce((sum, name) => sum + spent[name], 0);
  const shares = PHASES.map((name) => `${name} ${((100 * spent[name]) / all).toFixed(0)} %`).join(", ");
  return `${calls} calls in ${worlds} worlds, ${(calls / (ms / 1000)).toFixed(0)} calls/s (${(serverMs / calls).toFixed(1)} ms of a processor for each, in the server); ${JSON.stringify(totals)}; ${shares}`;
}
