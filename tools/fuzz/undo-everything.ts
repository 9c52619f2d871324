import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectToProgram } from "../../apps/cli/src/mcp/testing/official-client.ts";
import type { Finding } from "./findings.ts";
import type { MadeCall } from "./make-calls.ts";
import { isFreeShell } from "./shell-permission.ts";
import { ikigaiCommand, type Stage } from "./stage.ts";
import { compareTrees, otherNames, readTree, type Tree, type TreeChange } from "./tree.ts";
import { mountedFolders, stateFiles, type World } from "./world.ts";
import { chosenFlags } from "./world-flags.ts";

/** The stored assets by owner and path, with everything that an undo gives back. */
export type Assets = ReadonlyMap<string, string>;

interface Surroundings {
  readonly initial: Tree;
  readonly assets: Assets;
  readonly calls: readonly MadeCall[];
}

interface Change {
  readonly id: string;
  readonly uri: string;
  readonly reason: string | null;
}

/** What the store holds of assets. */
export async function readAssets({ database }: Stage): Promise<Assets> {
  const { rows } = await database.query<Record<string, unknown> & { owner: string; path: string }>(
    "select owner, path, content, category, description, read_only, archived from asset",
  );
  return new Map(rows.map(({ owner, path, ...rest }) => [`${owner} ${path}`, JSON.stringify(rest)]));
}

/**
 * Takes every change of the world back, newest first, as its user could, and compares what is left with how it began.
 *
 * Contract: what a command changed is left out, and so are texts that the same calls changed together with it. A file that was
 * deleted comes back as a plain file with the usual mode, though it had another, was a link or one of several names; so all names
 * of a file are left out once one of them was deleted, and so is a link that was deleted, but not the file that it led to.
 */
export async function undoEverything(
  stage: Stage,
  world: World,
  { initial, assets, calls }: Surroundings,
): Promise<{ undone: number; findings: Finding[] }> {
  const { rows } = await stage.database.query<Change>(
    "select id::text as id, uri, reason from journal where state <> 'failed' order by journal.id desc",
  );
  if (rows.length === 0 && !calls.some(({ changes }) => changes.length > 0)) return { undone: 0, findings: [] };
  const { undone, refused } = await undoAll(world, rows);
  const folders = [world.work, world.handbook, world.shelf, world.outside];
  const isCompared = (path: string): boolean => folders.some((folder) => path.startsWith(`${folder}/`));
  const before = new Map([...initial].filter(([path]) => isCompared(path)));
  const after = readTree([...folders, ...stateFiles(world)], new Map(), [world.store]);
  const left = compareTrees(before, new Map([...after].filter(([path]) => isCompared(path))));
  const excused = new Set([...taintedPaths(world, calls), ...splitPaths(initial, calls)]);
  const findings = left
    .filter(({ path, before: was, after: now }) => (now ?? was)?.kind !== "folder" && !excused.has(path))
    .filter((change) => !isPlainAgain(change, calls))
    .map(({ path, change }): Finding => {
      const by = calls.findLast(({ changes }) => changes.some((one) => one.path === path));
      return {
        kind: "not undone",
        ...(by !== undefined && { call: by.number }),
        detail: `${change} ${path.slice(world.base.length)} since the world began, last by ${by?.call.tool} ${JSON.stringify(by?.call.args ?? {}).slice(0, 160)}; undo says ${refused.get(addressOf(world, path))?.slice(0, 200) ?? "nothing"}`,
      };
    });
  return { undone, findings: [...findings, ...(await assetsLeft(stage, assets, refused))] };
}

/** Undoes by the tool, with a configuration of its own, without the rules and ceilings of the world. */
async function undoAll(
  world: World,
  rows: readonly Change[],
): Promise<{ undone: number; refused: ReadonlyMap<string, string> }> {
  const { plan, handbook, shelf, config } = world;
  const configHome = join(world.base, "undo");
  const use = "@ikigai/source-file";
  const sources = [
    ...(plan.handbook === "absent" ? [] : [{ use, mount: "handbook", options: { root: handbook } }]),
    ...(plan.hasPlugin ? [{ use: join(config, "shelf.mjs"), mount: "shelf", options: { folder: shelf } }] : []),
  ];
  mkdirSync(join(configHome, "ikigai"), { recursive: true });
  writeFileSync(join(configHome, "ikigai", "ikigai.config.json"), JSON.stringify({ sources }));
  const program = {
    ...ikigaiCommand([...chosenFlags(world, "all"), "mcp", "--tools", "default,files,notes"]),
    env: { ...world.env, XDG_CONFIG_HOME: configHome },
    cwd: world.work,
  };
  const { client } = await connectToProgram(program, () => "allow");
  const refused = new Map<string, string>();
  const undone = new Set(rows.flatMap(({ reason }) => /^undo of (\d+)$/.exec(reason ?? "")?.[1] ?? []));
  const before = undone.size;
  try {
    for (const { id, uri, reason } of rows) {
      if (reason?.startsWith("undo of ") === true || undone.has(id) || refused.has(uri)) continue;
      const asked = { name: "undo", arguments: { path: uri } };
      const { isError, content } = await client.callTool(asked, { timeout: 60_000 });
      const text = (content as { text?: string }[]).map((part) => part.text ?? "").join(" ");
      if (isError === true) refused.set(uri, text);
      else for (const [, taken = ""] of text.matchAll(/Took back change (\d+)/g)) undone.add(taken);
    }
  } finally {
    await client.close().catch(() => {});
  }
  return { undone: undone.size - before, refused };
}

function addressOf(world: World, path: string): string {
  const [mount, root] = Object.entries(mountedFolders(world)).find(([, folder]) => path.startsWith(`${folder}/`)) ?? [];
  return mount === undefined || root === undefined ? path : `${mount}:///${path.slice(root.length + 1)}`;
}

/** Assets that are not as they were. */
async function assetsLeft(stage: Stage, before: Assets, refused: ReadonlyMap<string, string>): Promise<Finding[]> {
  const after = await readAssets(stage);
  const differ = [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));
  return differ.map((key) => ({
    kind: "not undone",
    detail: `the asset ${key}: ${before.get(key) ?? "absent"} is ${after.get(key)?.slice(0, 200) ?? "absent"}; undo says ${refused.get(`ikigai:///${key.slice(key.indexOf(" ") + 1)}`)?.slice(0, 200) ?? "nothing"}`,
  }));
}

/** Whether a file that a call deleted is back with its text, if not with its mode. */
function isPlainAgain({ path, before, after }: TreeChange, calls: readonly MadeCall[]): boolean {
  const wasDeleted = calls.some(({ changes }) => changes.some((one) => one.path === path && one.change === "deleted"));
  return wasDeleted && after?.kind === "file" && before?.content === after.content;
}

/** The names of files of which a call deleted one, and deleted links: undo gives a file of its own back. */
function splitPaths(initial: Tree, calls: readonly MadeCall[]): ReadonlySet<string> {
  const split = new Set<string>();
  for (const { changes, before: tree } of calls) {
    for (const { path, change, before } of changes) {
      if (change !== "deleted") continue;
      const others = [...otherNames(tree, path), ...otherNames(initial, path)];
      for (const other of others.length > 0 ? [path, ...others] : []) split.add(other);
      if (before?.kind === "link") split.add(path);
    }
  }
  return split;
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
