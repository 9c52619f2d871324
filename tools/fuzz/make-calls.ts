import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { connectToProgram, type ToProgram } from "../../apps/cli/src/mcp/testing/official-client.ts";
import type { PlannedCall } from "./calls.ts";
import type { Finding } from "./findings.ts";
import { actionOf, whyForbidden, withoutFolders } from "./judge-change.ts";
import { isFreeShell } from "./shell-permission.ts";
import { ikigaiCommand, runIkigai } from "./stage.ts";
import { compareTrees, readTree, type Tree, type TreeChange } from "./tree.ts";
import { inWorld, type World } from "./world.ts";
import { chosenFlags, serverFlags } from "./world-flags.ts";

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

export interface MadeCalls {
  readonly calls: readonly MadeCall[];
  readonly succeeded: number;
  readonly asked: number;
  /** Milliseconds that looking at the disk took. */
  readonly lookMs: number;
  /** Milliseconds of processor time that the server used, its start included. 0 where nobody can say. */
  readonly serverMs: number;
  readonly findings: readonly Finding[];
}

interface Watching {
  readonly initial: Tree;
  readonly roots: readonly string[];
  /** Whether the disk is looked at after every call, also one that was refused. */
  readonly looksAfterEach: boolean;
  /** Where the tracer writes. Absent: there is none. */
  readonly log?: string;
}

const TOOLSETS = "default,files,notes,blocks,shell,commands,recall";
const READS =
  /^(file_read|history|read_note|get_note_metadata|list_notes|search_.*|find_related|list_tags|glob|source)$/;
const SECRET = "SECRET-OUTSIDE";
/** Refused calls in a row before the disk is looked at all the same. */
const REFUSED = 12;

/** Starts the server of a world, makes the calls one after the other, and judges each by what changed. */
export async function makeCalls(
  world: World,
  calls: readonly PlannedCall[],
  { initial, roots, looksAfterEach, log }: Watching,
): Promise<MadeCalls> {
  const findings: Finding[] = [];
  const person = { answer: "deny" as PlannedCall["answer"], approved: false, asked: 0 };
  const server = await startServer(world, log, (_message, decisions) => {
    person.asked += 1;
    if (person.answer === "cancel") return undefined;
    if (person.answer === "allow" && decisions.includes("allow")) person.approved = true;
    return person.answer;
  });
  const made: MadeCall[] = [];
  let tree = initial;
  let succeeded = 0;
  let unseen = 0;
  let lookMs = 0;
  let serverMs = 0;
  const look = (): TreeChange[] => {
    const began = performance.now();
    const now = readTree(roots, tree, [world.store]);
    const changes = withoutFolders(compareTrees(tree, now), world);
    tree = now;
    unseen = 0;
    lookMs += performance.now() - began;
    return changes;
  };
  try {
    for (const [number, call] of calls.entries()) {
      Object.assign(person, { answer: call.answer, approved: false });
      const from = Date.now();
      const answer = await (isByCommand(world, call) ? byCommand(world, call) : overMcp(server, world, call));
      const isDone = answer.includes('"success":true');
      if (isDone) succeeded += 1;
      const before = tree;
      const mayChange = person.approved || !READS.test(call.tool);
      unseen += mayChange ? 1 : 0;
      const isDue = mayChange && (looksAfterEach || isDone || person.approved || unseen >= REFUSED);
      const changes = isDue ? look() : [];
      const seen = { number, call, from, until: Date.now(), approved: person.approved, answer, changes, before };
      made.push(seen);
      findings.push(...judgeCall(world, seen));
      if (answer.startsWith("lost: ")) break;
    }
    for (const { path, change } of look())
      findings.push({ kind: "forbidden change", detail: `${change} ${path}, by no call that changes anything` });
    serverMs = processorMs(server.pid());
  } finally {
    await server.close().catch(() => {});
  }
  return { calls: made, succeeded, asked: person.asked, lookMs, serverMs, findings };
}

const TICKS_PER_SECOND = 100;

/** The processor time of a process. Contract: 0 where there is no `/proc`. */
function processorMs(pid: number | null): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

function startServer(
  world: World,
  log: string | undefined,
  answer: Parameters<typeof connectToProgram>[1],
): Promise<ToProgram> {
  const { plan, work, env } = world;
  const tools = [TOOLSETS, ...(plan.userNames.server ? ["side__*"] : []), ...(plan.hasPlugin ? PLUGIN_TOOLS : [])];
  const isHttp = plan.transport === "http";
  const flags = [
    ...serverFlags(world),
    "mcp",
    ...(isHttp ? ["--http"] : []),
    "--tools",
    tools.join(","),
    ...(plan.mountsHost ? ["--mount-host"] : []),
  ];
  const roots = { none: undefined, home: [work], disk: ["/"] }[plan.clientRoot];
  const isOffered = plan.folder === "home by chance" && roots !== undefined;
  return connectToProgram({ ...ikigaiCommand(flags, log), env, cwd: work }, answer, {
    http: isHttp,
    ...(isOffered && { roots }),
  });
}

const PLUGIN_TOOLS = ["shelf_put", "shelf_drop"];

/** A person who starts a command in the home folder chose it, so there such calls go to the server too. */
function isByCommand({ plan }: World, { via }: PlannedCall): boolean {
  return via === "tool" && plan.folder !== "home by chance";
}

async function overMcp({ client }: ToProgram, world: World, { tool, args }: PlannedCall): Promise<string> {
  try {
    const asked = { name: tool, arguments: inWorld(world, args), _meta: { "ikigai/envelope": true } };
    const { _meta, content } = await client.callTool(asked, { timeout: 60_000 });
    return JSON.stringify(_meta?.["ikigai/envelope"] ?? content);
  } catch (error) {
    const text = String(error);
    return /closed|not connected|timed out|fetch failed/i.test(text) ? `lost: ${text}` : `thrown: ${text}`;
  }
}

async function byCommand(world: World, { tool, args }: PlannedCall): Promise<string> {
  const { out, err } = await runIkigai(
    [...chosenFlags(world), "tool", tool, JSON.stringify(inWorld(world, args))],
    world.work,
    world.env,
  );
  return out === "" ? `thrown: ${err}` : out;
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
