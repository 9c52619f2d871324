import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectToProgram } from "../../apps/cli/src/mcp/testing/official-client.ts";
import type { Finding } from "./findings.ts";
import { globalFlags, isFreeShell, type MadeCall } from "./run-world.ts";
import { ikigaiCommand, type Stage } from "./stage.ts";
import { compareTrees, finalPlace, readTree, type Tree, type TreeChange } from "./tree.ts";
import type { World } from "./world.ts";

interface Surroundings {
  readonly initial: Tree;
  readonly begun: Date;
  readonly calls: readonly MadeCall[];
}

/**
 * Takes every change of the world back, as its user could, and compares what is left with how it began.
 *
 * Contract: what a command changed is left out, and so are texts that the same calls changed together with it. A file that was
 * deleted comes back as a plain file with the usual mode, though it had another, was a link or one of several names. Files with
 * several names are left out, since each name has a history of its own.
 */
export async function undoEverything(
  stage: Stage,
  world: World,
  { initial, begun, calls }: Surroundings,
): Promise<{ undone: number; findings: Finding[] }> {
  if (!calls.some(({ changes }) => changes.length > 0)) return { undone: 0, findings: [] };
  const { rows } = await stage.database.query<{ uri: string; call_id: string | null }>(
    "select uri, call_id from journal where at >= $1 and state <> 'failed' order by id desc",
    [begun.toISOString()],
  );
  // A configuration of its own, without the rules and ceilings of the world.
  const configHome = join(world.base, "undo");
  mkdirSync(join(configHome, "ikigai"), { recursive: true });
  writeFileSync(
    join(configHome, "ikigai", "ikigai.config.json"),
    world.plan.handbook === "absent"
      ? "{}"
      : JSON.stringify({
          sources: [{ use: "@ikigai/source-file", mount: "handbook", options: { root: world.handbook } }],
        }),
  );
  const server = {
    ...ikigaiCommand([...globalFlags(world, "all"), "mcp", "--tools", "default,files,notes"]),
    env: { ...world.env, XDG_CONFIG_HOME: configHome },
    cwd: world.work,
  };
  const { client } = await connectToProgram(server, () => "allow");
  const refused = new Map<string, string>();
  let undone = 0;
  try {
    let left = [...new Set(rows.map(({ uri }) => uri))];
    // A change of several texts waits until those made after it are taken back.
    for (let progress = true; progress && left.length > 0;) {
      progress = false;
      const next: string[] = [];
      for (const path of left) {
        for (;;) {
          const { isError, content } = await client.callTool(
            { name: "undo", arguments: { path } },
            { timeout: 60_000 },
          );
          if (isError !== true) {
            undone += 1;
            progress = true;
            continue;
          }
          const text = (content as { text?: string }[]).map((part) => part.text ?? "").join(" ");
          refused.set(path, text);
          if (!text.includes("nothing more to undo")) next.push(path);
          break;
        }
      }
      left = next;
    }
  } finally {
    await client.close().catch(() => {});
  }
  const after = readTree([world.work, world.handbook, world.outside]);
  const tainted = taintedPaths(world, calls);
  const roots = [world.work, world.handbook, world.outside].map((root) => `${root}/`);
  const before = new Map([...initial].filter(([path]) => roots.some((root) => path.startsWith(root))));
  const findings = compareTrees(
    before,
    new Map([...after].filter(([path]) => roots.some((root) => path.startsWith(root)))),
  )
    .filter(({ path, before: was, after: now }) => (now ?? was)?.kind !== "folder" && !tainted.has(path))
    .filter((change) => !isPlainAgain(change, calls, after) && !hasOtherName(initial, change.path))
    .map(({ path, change }): Finding => {
      const uri = path.startsWith(`${world.handbook}/`)
        ? `handbook:///${path.slice(world.handbook.length + 1)}`
        : `file:///${path.slice(world.work.length + 1)}`;
      const by = calls.findLast(({ changes }) => changes.some((one) => one.path === path));
      return {
        kind: "not undone",
        ...(by !== undefined && { call: by.number }),
        detail: `${change} ${path.slice(world.base.length)} since the world began, last by ${by?.call.tool} ${JSON.stringify(by?.call.args ?? {}).slice(0, 160)}; undo says ${refused.get(uri)?.slice(0, 200) ?? "nothing"}`,
      };
    });
  return { undone, findings };
}

/** Whether a file that a call deleted is back with its text. */
function isPlainAgain({ path, before, after }: TreeChange, calls: readonly MadeCall[], tree: Tree): boolean {
  const wasDeleted = calls.some(({ changes }) => changes.some((one) => one.path === path && one.change === "deleted"));
  if (!wasDeleted || after?.kind !== "file") return false;
  const end = before?.kind === "link" ? tree.get(finalPlace(new Map([...tree, [path, before]]), path) ?? "") : before;
  return end?.content === after.content;
}

/** A text has its history by its name, so changes under two names of one file are not in one order. */
function hasOtherName(tree: Tree, path: string): boolean {
  const inode = tree.get(path)?.stamp.split(" ")[0];
  return [...tree].some(
    ([other, { kind, stamp }]) => kind === "file" && other !== path && stamp.split(" ")[0] === inode,
  );
}

/** What commands changed, and what calls changed together with such a path. */
function taintedPaths(world: World, calls: readonly MadeCall[]): ReadonlySet<string> {
  const tainted = new Set(
    calls.filter((made) => isFreeShell(world, made)).flatMap(({ changes }) => changes.map(({ path }) => path)),
  );
  for (let size = -1; size !== tainted.size;) {
    size = tainted.size;
    for (const { changes } of calls)
      if (changes.some(({ path }) => tainted.has(path))) for (const { path } of changes) tainted.add(path);
  }
  return tainted;
}
