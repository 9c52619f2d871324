import type { Finding } from "./findings.ts";
import { actionOf } from "./judge-change.ts";
import type { MadeCall } from "./make-calls.ts";
import { isFreeShell } from "./shell-permission.ts";
import { runIkigai, type Stage } from "./stage.ts";
import { finalPlace, type Tree } from "./tree.ts";
import { mountedFolders, type World } from "./world.ts";
import { chosenFlags } from "./world-flags.ts";

interface AuditedCall {
  readonly at: number;
  readonly call_id: string;
  readonly tool: string;
  readonly targets: readonly string[];
}

/** Compares what changed with what was written down: every change has an intent that names it, and a journal row. */
export async function judgeRows(
  stage: Stage,
  world: World,
  begun: Date,
  calls: readonly MadeCall[],
): Promise<{ findings: Finding[] }> {
  const changing = calls.filter((made) => made.changes.length > 0 && !isFreeShell(world, made));
  if (changing.length === 0) return { findings: [] };
  const intents = await readIntents(world, calls.length);
  const journalled = await readJournal(stage, begun);
  const findings: Finding[] = [];
  for (const made of changing) {
    const mine = intents.filter(({ at, tool }) => tool === made.call.tool && at >= made.from && at <= made.until);
    const places = new Set(
      mine.flatMap(({ targets }) => targets.flatMap((target) => placesOf(world, made.before, target))),
    );
    // Another name of the same file changes with it.
    const inodes = new Set([...places].flatMap((place) => inodeOf(made.before, place)));
    for (const change of made.changes) {
      const isTwin = inodeOf(made.before, change.path).some((inode) => inodes.has(inode));
      const detail = `${made.call.tool} ${JSON.stringify(made.call.args).slice(0, 200)}: ${actionOf(change)} ${change.path.slice(world.base.length)}`;
      if (mine.length === 0) findings.push({ kind: "no audit row", call: made.number, detail });
      else if (!places.has(change.path) && !isTwin)
        findings.push({
          kind: "undeclared change",
          call: made.number,
          detail: `${detail}, declared ${[...places].map((place) => place.slice(world.base.length)).join(" ")}`,
        });
      if (!mine.some(({ call_id }) => journalled.has(call_id)))
        findings.push({ kind: "no journal row", call: made.number, detail });
    }
  }
  return { findings };
}

function inodeOf(tree: Tree, path: string): number[] {
  const entry = tree.get(path);
  return entry?.kind === "file" ? [entry.inode] : [];
}

/** The intents of this world's agent, by the product's own command. */
async function readIntents(world: World, calls: number): Promise<AuditedCall[]> {
  const { out } = await runIkigai(
    [...chosenFlags(world, "none"), "--json", "audit", "--limit", String(calls * 2 + 1_000)],
    world.work,
    world.env,
  );
  return out.split("\n").flatMap((line) => {
    if (!line.startsWith("{")) return [];
    const row = JSON.parse(line) as {
      at: string;
      phase: string;
      call_id: string;
      agent: string;
      tool: string;
      details: string;
    };
    if (row.agent !== world.plan.agent || row.phase !== "intent") return [];
    const { verdicts = [] } = JSON.parse(row.details) as {
      verdicts?: { effect: { action: string; target: string } }[];
    };
    const targets = verdicts.filter(({ effect }) => effect.action !== "read").map(({ effect }) => effect.target);
    return [{ at: Date.parse(row.at), call_id: row.call_id, tool: row.tool, targets }];
  });
}

async function readJournal({ database }: Stage, begun: Date): Promise<ReadonlySet<string>> {
  const { rows } = await database.query<{ call_id: string }>(
    "select call_id from journal where at >= $1 and state <> 'failed' and call_id is not null",
    [begun.toISOString()],
  );
  return new Set(rows.map(({ call_id }) => call_id));
}

/** The final places that an effect names: where the path itself stands, and where it leads. */
function placesOf(world: World, tree: Tree, target: string): string[] {
  const [, mount = "", path = ""] = /^([a-z-]+):\/\/\/([\s\S]*)$/.exec(target) ?? [];
  const root = mountedFolders(world)[mount];
  if (root === undefined) return [];
  if (mount === "shelf") return [`${root}/${encodeURIComponent(path).slice(0, 200)}`];
  const end = path.lastIndexOf("/");
  const folder = finalPlace(tree, `${root}/${path.slice(0, Math.max(end, 0))}`);
  const itself = folder === undefined ? [] : [`${folder}/${path.slice(end + 1)}`];
  const leads = finalPlace(tree, `${root}/${path}`);
  return leads === undefined ? itself : [...itself, leads];
}
