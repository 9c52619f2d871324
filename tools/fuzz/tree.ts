import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from "node:fs";

/** One thing in a tree. */
export interface TreeEntry {
  readonly kind: "file" | "folder" | "link" | "other";
  readonly mode: number;
  /** What a file holds, as a hash; where a link leads. */
  readonly content: string;
  /** The bytes of a file, to compare and to show. */
  readonly bytes?: Buffer;
  /** The names in a folder. */
  readonly names?: readonly string[];
  /** Names of one file have the same number. */
  readonly inode: number;
  readonly size: number;
  readonly changedMs: number;
  /** Whether it changed so shortly before it was looked at that a further change could have the same time. */
  readonly isFresh: boolean;
}

export type Tree = ReadonlyMap<string, TreeEntry>;

export interface TreeChange {
  readonly path: string;
  readonly change: "created" | "changed" | "deleted" | "mode";
  readonly before?: TreeEntry;
  readonly after?: TreeEntry;
}

/** The clock of a file system ticks every few milliseconds. */
const TICK_MS = 20;

/**
 * Everything below the roots but what is `skipped`: kind, mode, bytes and where links lead.
 *
 * Contract: what has the same inode, change time and size as in `previous` is not read again. Links are not followed.
 */
export function readTree(roots: readonly string[], previous: Tree = new Map(), skipped: readonly string[] = []): Tree {
  const tree = new Map<string, TreeEntry>();
  const visit = (path: string): void => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return;
    const known = previous.get(path);
    const entry = known !== undefined && isSame(known, found) ? known : toEntry(path, found);
    tree.set(path, entry);
    for (const name of entry.names ?? []) if (!skipped.includes(`${path}/${name}`)) visit(`${path}/${name}`);
  };
  for (const root of roots) visit(root);
  return tree;
}

function isSame(known: TreeEntry, { ino, size, ctimeMs, mode }: Stats): boolean {
  return (
    !known.isFresh &&
    known.inode === ino &&
    known.changedMs === ctimeMs &&
    known.size === size &&
    known.mode === (mode & 0o7777)
  );
}

function toEntry(path: string, found: Stats): TreeEntry {
  const { ino: inode, size, ctimeMs: changedMs } = found;
  const stamp = { mode: found.mode & 0o7777, inode, size, changedMs, isFresh: Date.now() - changedMs < TICK_MS };
  if (found.isDirectory()) return { ...stamp, kind: "folder", content: "", names: readdirSync(path) };
  if (found.isSymbolicLink()) return { ...stamp, kind: "link", content: readlinkSync(path) };
  if (!found.isFile()) return { ...stamp, kind: "other", content: "" };
  const bytes = readFileSync(path);
  return { ...stamp, kind: "file", content: createHash("sha256").update(bytes).digest("hex"), bytes };
}

/** The other names of the file at `path`. */
export function otherNames(tree: Tree, path: string): string[] {
  const file = tree.get(path);
  if (file?.kind !== "file") return [];
  return [...tree].flatMap(([other, { kind, inode }]) =>
    kind === "file" && other !== path && inode === file.inode ? [other] : [],
  );
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
