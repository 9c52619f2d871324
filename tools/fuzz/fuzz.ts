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

export interface FuzzReport {
  readonly calls: number;
  readonly worlds: number;
  readonly ms: number;
  readonly totals: Readonly<Record<"succeeded" | "changed" | "asked" | "started" | "undone", number>>;
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

/** Runs worlds until calls or time are used up. Contract: the same seed makes the same worlds and calls. */
export async function fuzz(stage: Stage, options: FuzzOptions): Promise<FuzzReport> {
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
  const findings: FoundInWorld[] = [];
  let calls = 0;
  let worlds = 0;
  while (calls < limit && performance.now() - began < withinMs) {
    const at = performance.now();
    const count = Math.min(perWorld, limit - calls);
    const plan = planWorld(seed + worlds);
    const report = await runWorld(stage, plan, callsOf(seed + worlds, count));
    onWorld?.(report, performance.now() - at);
    for (const name of Object.keys(totals) as (keyof typeof totals)[]) totals[name] += report[name];
    findings.push(...report.findings.map((finding) => ({ ...finding, plan })));
    worlds += 1;
    calls += report.calls;
    if (report.findings.some(stops)) break;
  }
  return { calls, worlds, ms: performance.now() - began, totals, findings };
}
