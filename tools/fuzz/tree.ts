import { createHash } from "node:crypto";
import { type BigIntStats, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

/** One thing in a tree. */
export interface TreeEntry {
  readonly kind: "file" | "folder" | "link" | "other";
  readonly mode: number;
  /** What a file holds, as a hash; where a link leads. */
  readonly content: string;
  /** The bytes of a file that is short, to compare and to show. */
  readonly bytes?: Buffer;
  readonly stamp: string;
}

export type Tree = ReadonlyMap<string, TreeEntry>;

export interface TreeChange {
  readonly path: string;
  readonly change: "created" | "changed" | "deleted" | "mode";
  readonly before?: TreeEntry;
  readonly after?: TreeEntry;
}

/**
 * Everything below the roots: kind, mode, bytes and where links lead.
 *
 * Contract: what has the same inode, change time and size as in `previous` is not read again. Links are not followed.
 */
export function readTree(roots: readonly string[], previous: Tree = new Map()): Tree {
  const tree = new Map<string, TreeEntry>();
  const visit = (path: string): void => {
    let found: BigIntStats;
    try {
      found = lstatSync(path, { bigint: true });
    } catch {
      return;
    }
    const stamp = `${found.ino} ${found.ctimeNs} ${found.size} ${found.mode}`;
    const known = previous.get(path);
    const entry = known?.stamp === stamp && known.kind !== "folder" ? known : toEntry(path, found, stamp);
    tree.set(path, entry);
    if (entry.kind === "folder") for (const name of readdirSync(path)) visit(`${path}/${name}`);
  };
  for (const root of roots) visit(root);
  return tree;
}

function toEntry(path: string, found: BigIntStats, stamp: string): TreeEntry {
  const mode = Number(found.mode & 0o7777n);
  if (found.isDirectory()) return { kind: "folder", mode, content: "", stamp };
  if (found.isSymbolicLink()) return { kind: "link", mode, content: readlinkSync(path), stamp };
  if (!found.isFile()) return { kind: "other", mode, content: "", stamp };
  const bytes = readFileSync(path);
  return { kind: "file", mode, content: createHash("sha256").update(bytes).digest("hex"), bytes, stamp };
}

/** What differs, in the order of the paths. Folders count when they appear, disappear or change their mode. */
export function compareTrees(before: Tree, after: Tree): TreeChange[] {
  const changes: TreeChange[] = [];
  for (const [path, now] of after) {
    const was = before.get(path);
    if (was === now) continue;
    if (was === undefined) changes.push({ path, change: "created", after: now });
    else if (was.kind !== now.kind || was.content !== now.content)
      changes.push({ path, change: "changed", before: was, after: now });
    else if (was.mode !== now.mode) changes.push({ path, change: "mode", before: was, after: now });
  }
  for (const [path, was] of before) if (!after.has(path)) changes.push({ path, change: "deleted", before: was });
  return changes;
}

const MAX_LINKS = 40;

/**
 * Where a path leads in a tree, also when its end is absent.
 *
 * Contract: absolute and without links; `undefined` for a loop.
 */
export function finalPlace(tree: Tree, path: string): string | undefined {
  let left = path.split("/").filter((part) => part !== "" && part !== ".");
  const done: string[] = [];
  let followed = 0;
  for (let part = left.shift(); part !== undefined; part = left.shift()) {
    if (part === "..") {
      done.pop();
      continue;
    }
    done.push(part);
    const entry = tree.get(`/${done.join("/")}`);
    if (entry?.kind !== "link") continue;
    if (++followed > MAX_LINKS) return undefined;
    const target = entry.content.split("/").filter((one) => one !== "" && one !== ".");
    if (entry.content.startsWith("/")) done.length = 0;
    else done.pop();
    left = [...target, ...left];
  }
  return `/${done.join("/")}`;
}
