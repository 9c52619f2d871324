import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PlannedCall } from "./calls.ts";
import { readExecutions, whyNotExecuted } from "./executions.ts";
import type { Finding } from "./findings.ts";
import { judgeRows } from "./judge-rows.ts";
import { makeCalls } from "./make-calls.ts";
import { emptyStore, runIkigai, type Stage } from "./stage.ts";
import { readTree } from "./tree.ts";
import { readAssets, undoEverything } from "./undo-everything.ts";
import { makeWorld, stateFiles, type World } from "./world.ts";
import { shellWindows } from "./shell-permission.ts";
import { chosenFlags } from "./world-flags.ts";
import type { WorldPlan } from "./world-plan.ts";

export interface WorldReport {
  readonly plan: WorldPlan;
  readonly calls: number;
  /** Calls that succeeded, changes of files, questions, programs started. */
  readonly succeeded: number;
  readonly changed: number;
  readonly asked: number;
  readonly started: number;
  readonly undone: number;
  /** Milliseconds by what they were spent on. */
  readonly spent: Readonly<Record<"begin" | "calls" | "look" | "rows" | "undo", number>>;
  /** Milliseconds of processor time of the server. */
  readonly serverMs: number;
  readonly findings: readonly Finding[];
}

/**
 * Makes a world, calls tools in it, and looks from outside whether every promise held.
 *
 * Contract: a finding is looked for again with a look at the disk after every call, so that it names the call.
 */
export async function runWorld(stage: Stage, plan: WorldPlan, calls: readonly PlannedCall[]): Promise<WorldReport> {
  const report = await runOnce(stage, plan, calls, false);
  if (report.findings.length === 0) return report;
  const { findings } = await runOnce(stage, plan, calls, true);
  return findings.length > 0 ? { ...report, findings } : report;
}

async function runOnce(
  stage: Stage,
  plan: WorldPlan,
  calls: readonly PlannedCall[],
  looksAfterEach: boolean,
): Promise<WorldReport> {
  const spent = { begin: 0, calls: 0, look: 0, rows: 0, undo: 0 };
  let at = performance.now();
  const lap = (name: keyof typeof spent): void => {
    const now = performance.now();
    spent[name] += now - at;
    at = now;
  };
  await emptyStore(stage);
  using world = makeWorld(plan, stage.folder, stage.store);
  await prepareState(stage, world);
  const log = stage.isTraced ? join(world.base, "started") : undefined;
  const begun = new Date();
  const roots = rootsOf(world);
  const initial = readTree(roots, new Map(), [world.store]);
  const assets = await readAssets(stage);
  const findings: Finding[] = [];
  lap("begin");
  const made = await makeCalls(world, calls, { initial, roots, looksAfterEach, ...(log !== undefined && { log }) });
  lap("calls");
  spent.look = made.lookMs;
  spent.calls -= made.lookMs;
  findings.push(...made.findings);
  const windows = shellWindows(world, made.calls);
  const executions = log === undefined ? [] : readExecutions(log);
  for (const execution of executions) {
    const why = whyNotExecuted(world, execution, windows);
    if (why !== undefined) findings.push({ kind: "program started", detail: why });
  }
  findings.push(...(await judgeRows(stage, world, begun, made.calls)).findings);
  lap("rows");
  const { undone, findings: left } = await undoEverything(stage, world, { initial, assets, calls: made.calls });
  findings.push(...left);
  lap("undo");
  const seen = new Set<string>();
  const once = findings.filter(({ kind, detail }) => !seen.has(`${kind} ${detail}`) && seen.add(`${kind} ${detail}`));
  return {
    plan,
    calls: made.calls.length,
    succeeded: made.succeeded,
    changed: made.calls.reduce((sum, { changes }) => sum + changes.length, 0),
    asked: made.asked,
    started: executions.length,
    undone,
    spent,
    serverMs: made.serverMs,
    findings: once,
  };
}

/** Every folder of the world, and the files of our state that grant or trust. */
function rootsOf(world: World): string[] {
  const { home, work, outside, handbook, shelf } = world;
  return [...new Set([home, outside, work, handbook, shelf]), ...stateFiles(world)];
}

/** Grants are written as the product keeps them; trust is given by the product's own command. */
async function prepareState({ store }: Stage, world: World): Promise<void> {
  const grants = world.plan.grants.map(({ actions, pattern, kind }, index) => ({
    id: `grant-${index}`,
    actions,
    pattern,
    kind,
    names_target: true,
    duration: "user",
    created_at: "2026-01-01T00:00:00.000Z",
  }));
  writeFileSync(join(store, "permissions.json"), JSON.stringify({ grants }), { mode: 0o600 });
  if (world.plan.project === "trusted")
    await runIkigai([...chosenFlags(world), "trust", "--yes"], world.work, world.env);
}
