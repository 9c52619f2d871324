import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectToProgram } from "../../apps/cli/src/mcp/testing/official-client.ts";
import type { PlannedCall } from "./calls.ts";
import { readExecutions, type ShellWindow, whyNotExecuted } from "./executions.ts";
import type { Finding } from "./findings.ts";
import { judgeRows } from "./judge-rows.ts";
import { actionOf, whyForbidden, withoutFolders } from "./judge-change.ts";
import { ikigaiCommand, runIkigai, type Stage } from "./stage.ts";
import { compareTrees, readTree, type Tree, type TreeChange } from "./tree.ts";
import { undoEverything } from "./undo-everything.ts";
import { inWorld, makeWorld, type World } from "./world.ts";
import type { WorldPlan } from "./world-plan.ts";

/** A call that was made, with what was seen of it from outside. */
export interface MadeCall {
  readonly number: number;
  readonly call: PlannedCall;
  readonly from: number;
  readonly until: number;
  readonly approved: boolean;
  readonly changes: readonly TreeChange[];
  /** The tree before the call, which says where its paths led. */
  readonly before: Tree;
  readonly answer: string;
}

export interface WorldReport {
  readonly plan: WorldPlan;
  readonly calls: number;
  /** Calls that succeeded, changes of files, questions, programs started. */
  readonly succeeded: number;
  readonly changed: number;
  readonly asked: number;
  readonly started: number;
  readonly undone: number;
  readonly findings: readonly Finding[];
}

const TOOLSETS = "default,files,notes,blocks,shell,commands,recall";
const READS =
  /^(file_read|history|read_note|get_note_metadata|list_notes|search_.*|find_related|list_tags|glob|source)$/;
const SECRET = "SECRET-OUTSIDE";

/** Makes a world, calls tools in it, and looks from outside whether every promise held. */
export async function runWorld(stage: Stage, plan: WorldPlan, calls: readonly PlannedCall[]): Promise<WorldReport> {
  using world = makeWorld(plan, stage.folder, stage.store);
  await prepareState(stage, world);
  const log = stage.isTraced ? join(world.base, "started") : undefined;
  const begun = new Date();
  const roots = [
    world.home,
    world.outside,
    world.work,
    world.handbook,
    join(stage.store, "permissions.json"),
    join(stage.store, "trust.json"),
  ];
  const initial = readTree(roots);
  const findings: Finding[] = [];
  const made = await makeCalls(world, calls, { initial, roots, findings, ...(log !== undefined && { log }) });
  const windows = shellWindows(world, made.calls);
  const executions = log === undefined ? [] : readExecutions(log);
  for (const execution of executions) {
    const why = whyNotExecuted(world, execution, windows);
    if (why !== undefined) findings.push({ kind: "program started", detail: why });
  }
  const audited = await judgeRows(stage, world, begun, made.calls);
  findings.push(...audited.findings);
  const { undone, findings: left } = await undoEverything(stage, world, { initial, begun, calls: made.calls });
  findings.push(...left);
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
    findings: once,
  };
}

/** Grants are written as the product keeps them; trust is given by the product's own command. */
async function prepareState({ store }: Stage, world: World): Promise<void> {
  rmSync(join(store, "trust.json"), { force: true });
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
    await runIkigai([...globalFlags(world), "trust", "--yes"], world.work, world.env);
}

export function globalFlags({ work, store, plan }: World, mode: string = plan.mode): string[] {
  return ["--root", work, "--store", store, "--agent", plan.agent, "--approve", mode];
}

interface Watching {
  readonly initial: Tree;
  readonly roots: readonly string[];
  readonly findings: Finding[];
  readonly log?: string;
}

async function makeCalls(
  world: World,
  calls: readonly PlannedCall[],
  watching: Watching,
): Promise<{ calls: MadeCall[]; succeeded: number; asked: number }> {
  const { findings, roots, log } = watching;
  const person = { answer: "deny" as PlannedCall["answer"], approved: false, asked: 0 };
  const flags = [
    ...globalFlags(world),
    "mcp",
    "--tools",
    world.plan.userNames.server ? `${TOOLSETS},side__*` : TOOLSETS,
    ...(world.plan.mountsHost ? ["--mount-host"] : []),
  ];
  const server = { ...ikigaiCommand(flags, log), env: world.env, cwd: world.work };
  const { client } = await connectToProgram(server, (_message, decisions) => {
    person.asked += 1;
    if (person.answer === "cancel") return undefined;
    if (person.answer === "allow" && decisions.includes("allow")) person.approved = true;
    return person.answer;
  });
  const made: MadeCall[] = [];
  let tree = watching.initial;
  let succeeded = 0;
  try {
    for (const [number, call] of calls.entries()) {
      Object.assign(person, { answer: call.answer, approved: false });
      const from = Date.now();
      const answer = call.via === "mcp" ? await overMcp(client, world, call) : await byCommand(world, call);
      if (answer.includes('"success":true')) succeeded += 1;
      const seen = { number, call, from, until: Date.now(), approved: person.approved, answer };
      let changes: TreeChange[] = [];
      const before = tree;
      if (!READS.test(call.tool) || person.approved) {
        tree = readTree(roots, before);
        changes = withoutFolders(compareTrees(before, tree), world);
      }
      made.push({ ...seen, changes, before });
      findings.push(...judgeCall(world, { ...seen, changes, before }));
      if (answer.startsWith("lost: ")) break;
    }
    const end = readTree(roots, tree);
    const late = withoutFolders(compareTrees(tree, end), world);
    for (const { path, change } of late)
      findings.push({ kind: "forbidden change", detail: `${change} ${path}, by no call that changes anything` });
  } finally {
    await client.close().catch(() => {});
  }
  return { calls: made, succeeded, asked: person.asked };
}

type Client = Awaited<ReturnType<typeof connectToProgram>>["client"];

async function overMcp(client: Client, world: World, { tool, args }: PlannedCall): Promise<string> {
  try {
    const asked = { name: tool, arguments: inWorld(world, args), _meta: { "ikigai/envelope": true } };
    const { _meta, content } = await client.callTool(asked, { timeout: 60_000 });
    return JSON.stringify(_meta?.["ikigai/envelope"] ?? content);
  } catch (error) {
    const text = String(error);
    return /closed|not connected|timed out/i.test(text) ? `lost: ${text}` : `thrown: ${text}`;
  }
}

async function byCommand(world: World, { tool, args }: PlannedCall): Promise<string> {
  const { out, err } = await runIkigai(
    [...globalFlags(world), "tool", tool, JSON.stringify(inWorld(world, args))],
    world.work,
    world.env,
  );
  return out === "" ? `thrown: ${err}` : out;
}

/** Whether a command may run, and whether the person or the mode answers for all that it does. */
function shellPermission({ plan }: World, approved: boolean): ShellWindow["by"] | undefined {
  if (plan.mode === "none") return undefined;
  if (approved || plan.mode === "all") return "person or mode";
  return plan.grants.some(({ kind }) => kind === "command") ? "grant" : undefined;
}

function shellWindows(world: World, calls: readonly MadeCall[]): ShellWindow[] {
  return calls.flatMap(({ call, from, until, approved }) => {
    const by = call.tool === "bash" ? shellPermission(world, approved) : undefined;
    return by === undefined ? [] : [{ from, until, by }];
  });
}

/** Whether whatever the call did was approved as "anything this command does". */
export function isFreeShell(world: World, { call, approved }: Pick<MadeCall, "call" | "approved">): boolean {
  return call.tool === "bash" && shellPermission(world, approved) === "person or mode";
}

function judgeCall(world: World, made: MadeCall): Finding[] {
  const { number, call, answer, changes, before, approved } = made;
  const found: Finding[] = [];
  const marks = readdirSync(world.marks);
  for (const mark of marks) rmSync(join(world.marks, mark), { force: true });
  if (isFreeShell(world, made)) return found;
  for (const mark of marks) found.push({ kind: "canary ran", call: number, detail: mark });
  if (answer.startsWith("lost: ")) found.push({ kind: "server lost", call: number, detail: answer.slice(0, 300) });
  if (/"code":"internal"|database|relation |syntax error at/.test(answer) && !answer.includes('"success":true'))
    found.push({ kind: "defect", call: number, detail: answer.slice(0, 300) });
  const hasTwin = world.plan.hardLinks.some(({ to }) => to.endsWith("secret.txt"));
  if (answer.includes(SECRET) && !approved && !hasTwin)
    found.push({
      kind: "read outside",
      call: number,
      detail: `${call.tool} ${JSON.stringify(call.args).slice(0, 200)}`,
    });
  for (const change of changes) {
    const why = whyForbidden(world, change, before, { approved });
    if (why !== undefined)
      found.push({
        kind: "forbidden change",
        call: number,
        detail: `${actionOf(change)} ${change.path.slice(world.base.length)}: ${why}`,
      });
  }
  return found;
}
