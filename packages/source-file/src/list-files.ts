import type { Stats } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { type TextEntry, compareCodePoints } from "@ikigai/core";
import { assertNotAborted } from "./abort.ts";
import type { Directory, Root } from "./directory.ts";
import { isErrno } from "./file-errors.ts";
import type { DirectoryItem } from "./file-ops.ts";
import { type IgnoreRules, isAlwaysHidden } from "./ignore-rules.ts";
import { ownerState } from "./owner.ts";
import { isStray, parseStray, targetKey } from "./stray.ts";
import { absolutePath, join, walk } from "./walk.ts";

export interface ListOptions {
  readonly signal?: AbortSignal | undefined;
  /** Stays in the folder that `prefix` names. Default false. */
  readonly shallow?: boolean;
  /** Yields folders too, with a slash at the end. Default false. */
  readonly folders?: boolean;
  /** Leaves out what it says of an absolute path without links. Default: nothing. */
  readonly isOwn?: (absolute: string) => boolean;
}

interface Level {
  readonly directory: Directory;
  /** Path of the folder as the caller names it, which may be through a link. */
  readonly path: string;
  /** Absent in a folder that is hidden itself. */
  readonly rules: IgnoreRules | undefined;
}

/** Every level keeps a folder open; below this nothing is listed. */
const MAX_DEPTH = 256;
/** How often a folder is read again, a millisecond apart, while a file in it has no name because of a save. */
const EXCHANGE_TRIES = 100;

/**
 * The files whose path begins with `prefix`, in code-point order.
 *
 * Contract: links to folders are not entered; links to files are listed when they stay inside the root. Hidden paths
 * are left out, unless the folder that `prefix` names is itself hidden: who names it wants to see it. `.git` never is.
 */
export async function* listFiles(
  root: Root,
  prefix: string,
  rules: IgnoreRules,
  options: ListOptions = {},
): AsyncGenerator<TextEntry> {
  const start = await enterFolder(root, prefix.slice(0, Math.max(0, prefix.lastIndexOf("/"))), rules);
  if (start === undefined) return;
  if (options.isOwn?.(absolutePath(root, start.directory.path)) === true) {
    if (start.directory !== root.directory) await start.directory.close();
    return;
  }
  for await (const entries of listFolder(root, start, prefix, options, 0)) {
    for (const entry of entries) {
      assertNotAborted(options.signal);
      yield entry;
    }
  }
}

/** Gives files that follow one another together: handing up each by itself would cost a wait per folder above it. */
async function* listFolder(
  root: Root,
  { directory, path, rules }: Level,
  prefix: string,
  options: ListOptions,
  depth: number,
): AsyncGenerator<readonly TextEntry[]> {
  let files: TextEntry[] = [];
  try {
    for (const { name, kind, key } of await matchingItems(root, directory, path, prefix)) {
      assertNotAborted(options.signal);
      if (isAlwaysHidden(name)) continue;
      if (rules?.hides(join(directory.path, name), kind === "directory" ? "directory" : "file") === true) continue;
      // A file is its folder's: only folders and the ends of links are asked about, of which there are few.
      if (kind === "directory" && options.isOwn?.(absolutePath(root, join(directory.path, name))) === true) continue;
      if (kind !== "directory") {
        const described = describe(root, directory, name, key, options.isOwn);
        const entry = described instanceof Promise ? await described : described;
        if (entry !== undefined) files.push(entry);
        continue;
      }
      if (options.folders === true) files.push({ path: key });
      if (options.shallow === true || depth === MAX_DEPTH) continue;
      const child = await openOrGone(root, directory, name);
      if (child === undefined) continue;
      if (files.length > 0) yield files;
      files = [];
      const inner = { directory: child, path: join(path, name), rules: await rules?.enter(child) };
      yield* listFolder(root, inner, prefix, options, depth + 1);
    }
    if (files.length > 0) yield files;
  } finally {
    if (directory !== root.directory) await directory.close();
  }
}

async function matchingItems(
  root: Root,
  directory: Directory,
  path: string,
  prefix: string,
): Promise<{ name: string; kind: string; key: string }[]> {
  const items = await readWhole(root, directory);
  return (
    items
      // No address can name a backslash.
      .filter(({ name }) => !name.includes("\\"))
      .map(({ name, kind }) => ({ name, kind, key: `${join(path, name)}${kind === "directory" ? "/" : ""}` }))
      .filter(({ key }) => key.startsWith(prefix))
      .toSorted((a, b) => compareCodePoints(a.key, b.key))
  );
}

/**
 * The items of a folder. Contract: a file is not missing because a live process is exchanging it, unless that process
 * has stopped in the middle.
 */
async function readWhole(root: Root, directory: Directory): Promise<readonly DirectoryItem[]> {
  for (let tries = 1; ; tries++) {
    const items = await root.ops.readdir(directory.at("."));
    if (tries > EXCHANGE_TRIES || !items.some(({ name }) => isExchanging(name, items))) return items;
    await delay(1);
  }
}

/** Whether `name` is the displaced file of a save whose target has no name at the moment. */
function isExchanging(name: string, items: readonly DirectoryItem[]): boolean {
  const stray = isStray(name) ? parseStray(name) : undefined;
  if (stray?.kind !== "old" || ownerState(stray.owner) !== "alive") return false;
  return !items.some((item) => targetKey(item.name) === stray.target);
}

/** Opens the folder to begin in. Contract: `undefined` when there is none, or when it lies in `.git`. */
async function enterFolder(root: Root, folder: string, base: IgnoreRules): Promise<Level | undefined> {
  if (folder.split("/").some(isAlwaysHidden)) return undefined;
  const atRoot = { directory: root.directory, path: "", rules: await base.enter(root.directory) };
  if (folder === "") return atRoot;
  const opened = await walk(root, folder, async (place) =>
    place?.stat?.isDirectory() === true ? openOrGone(root, place.directory, place.name) : undefined,
  );
  if (opened === undefined) return undefined;
  const rules = await rulesAt(root, opened.path, atRoot.rules);
  return { directory: opened, path: folder, rules: await rules?.enter(opened) };
}

/** The rules that hold in the folder above `path`; absent when it is hidden. */
async function rulesAt(root: Root, path: string, atRoot: IgnoreRules): Promise<IgnoreRules | undefined> {
  let rules = atRoot;
  let directory = root.directory;
  const segments = path.split("/");
  try {
    for (const [index, name] of segments.entries()) {
      if (rules.hides(segments.slice(0, index + 1).join("/"), "directory")) return undefined;
      if (index === segments.length - 1) break;
      const child = await openOrGone(root, directory, name);
      if (child === undefined) break;
      if (directory !== root.directory) await directory.close();
      directory = child;
      rules = await rules.enter(child);
    }
    return rules;
  } finally {
    if (directory !== root.directory) await directory.close();
  }
}

/** A regular file, at once, or a link that leads to one inside the root. */
function describe(
  root: Root,
  directory: Directory,
  name: string,
  path: string,
  isOwn: ListOptions["isOwn"],
): TextEntry | undefined | Promise<TextEntry | undefined> {
  try {
    const stat = root.ops.lstatSync(directory.at(name));
    return stat.isSymbolicLink() ? describeTarget(root, join(directory.path, name), path, isOwn) : toEntry(path, stat);
  } catch {
    // Gone meanwhile: there is nothing to read.
    return undefined;
  }
}

async function describeTarget(
  root: Root,
  link: string,
  path: string,
  isOwn: ListOptions["isOwn"],
): Promise<TextEntry | undefined> {
  try {
    const isServed = (resolved: string): boolean => isOwn?.(absolutePath(root, resolved)) !== true;
    const target = await walk(root, link, async (place) =>
      place && isServed(place.resolved) ? place.stat : undefined,
    );
    return toEntry(path, target);
  } catch {
    // A link that cannot be followed has nothing to read.
    return undefined;
  }
}

function toEntry(path: string, stat: Stats | undefined): TextEntry | undefined {
  return stat?.isFile() === true ? { path, bytes: stat.size, modifiedAt: stat.mtime } : undefined;
}

async function openOrGone(root: Root, parent: Directory, name: string): Promise<Directory | undefined> {
  try {
    return await root.openChild(parent, name);
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR", "ELOOP", "EACCES")) return undefined;
    throw error;
  }
}
