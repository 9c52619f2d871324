import type { Stats } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { type TextEntry, compareCodePoints, IkigaiError } from "@ikigai/core";
import { assertNotAborted } from "../abort.ts";
import type { Directory, Root } from "../place/directory.ts";
import { isErrno } from "../file-errors.ts";
import type { DirectoryItem } from "../file-ops.ts";
import { type IgnoreRules, isAlwaysHidden } from "./ignore-rules.ts";
import { ownerState } from "../lock/owner.ts";
import { isTempFile, parseTempFile, targetKey } from "../save/temp-file.ts";
import { absolutePath, join, type Place, walk } from "../place/walk.ts";

export interface ListOptions {
  readonly signal?: AbortSignal | undefined;
  /** Stays in the folder that `prefix` names. Default false. */
  readonly shallow?: boolean;
  /** Yields folders too, with a slash at the end. Default false. */
  readonly folders?: boolean;
  /** Leaves out what it says of an absolute path without links. Default: nothing. */
  readonly isOwn?: (absolute: string) => boolean;
}

/** What finds files that have no name at the moment, because a save is exchanging them. */
export interface AbsentNames {
  /** Absolute paths below an absolute folder that may have had no name since `since`, in milliseconds since 1970. */
  taken(folder: string, since: number): readonly string[];
  /** Looks at a path, and once more behind every save when there is nothing. Contract: `unavailable` when a save does not end. */
  look<Found>(
    path: string,
    look: (place: Place | undefined) => Promise<Found | undefined>,
    signal: AbortSignal | undefined,
  ): Promise<Found | undefined>;
}

/** What every folder of one list is read with. */
interface Listing {
  readonly root: Root;
  readonly absent: AbsentNames;
  readonly prefix: string;
  readonly options: ListOptions;
  readonly began: number;
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
/** How often a folder is read again, a millisecond apart, while a file in it has no name because of an unknown save. */
const EXCHANGE_TRIES = 100;
/** Bytes of names that every system hands out in one step, so that all of them are of one moment. */
const ONE_STEP_BYTES = 2_048;
/** Bytes that an entry needs beside its name, at the most. */
const ENTRY_BYTES = 32;

/**
 * The files whose path begins with `prefix`, in code-point order.
 *
 * Contract: links to folders are not entered; links to files are listed when they stay inside the root. Hidden paths
 * are left out, unless the folder that `prefix` names is itself hidden: who names it wants to see it. `.git` never is.
 * A file that was there all the time is listed, also while it is being saved.
 */
export async function* listFiles(
  root: Root,
  prefix: string,
  rules: IgnoreRules,
  absent: AbsentNames,
  options: ListOptions = {},
): AsyncGenerator<TextEntry> {
  const start = await enterFolder(root, prefix.slice(0, Math.max(0, prefix.lastIndexOf("/"))), rules);
  if (start === undefined) return;
  if (options.isOwn?.(absolutePath(root, start.directory.path)) === true) {
    if (start.directory !== root.directory) await start.directory.close();
    return;
  }
  const listing: Listing = { root, absent, prefix, options, began: Date.now() };
  for await (const entries of listFolder(listing, start, 0)) {
    for (const entry of entries) {
      assertNotAborted(options.signal);
      yield entry;
    }
  }
}

/** Gives files that follow one another together: handing up each by itself would cost a wait per folder above it. */
async function* listFolder(
  listing: Listing,
  { directory, path, rules }: Level,
  depth: number,
): AsyncGenerator<readonly TextEntry[]> {
  const { root, options } = listing;
  let files: TextEntry[] = [];
  try {
    for (const { name, kind, key } of await matchingItems(listing, directory, path)) {
      assertNotAborted(options.signal);
      if (isAlwaysHidden(name)) continue;
      if (rules?.hides(join(directory.path, name), kind === "directory" ? "directory" : "file") === true) continue;
      // A file is its folder's: only folders and the ends of links are asked about, of which there are few.
      if (kind === "directory" && options.isOwn?.(absolutePath(root, join(directory.path, name))) === true) continue;
      if (kind !== "directory") {
        const described = describe(listing, directory, name, key);
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
      yield* listFolder(listing, inner, depth + 1);
    }
    if (files.length > 0) yield files;
  } finally {
    if (directory !== root.directory) await directory.close();
  }
}

async function matchingItems(
  listing: Listing,
  directory: Directory,
  path: string,
): Promise<{ name: string; kind: string; key: string }[]> {
  const items = await readWhole(listing, directory);
  return (
    items
      // No address can name a backslash.
      .filter(({ name }) => !name.includes("\\"))
      .map(({ name, kind }) => ({ name, kind, key: `${join(path, name)}${kind === "directory" ? "/" : ""}` }))
      .filter(({ key }) => key.startsWith(listing.prefix))
      .toSorted((a, b) => compareCodePoints(a.key, b.key))
  );
}

/**
 * The items of a folder, and the names that saves may hide in it: those are looked at behind the saves.
 *
 * Contract: a file is not missing because it is being saved. What a folder of a few files holds is read in one step; there only
 * a displaced file can mean a hidden name, so that a folder in which nobody saves costs nothing more.
 */
async function readWhole({ root, absent, began }: Listing, directory: Directory): Promise<readonly DirectoryItem[]> {
  for (let tries = 1; ; tries++) {
    const items = await root.ops.readdir(directory.at("."));
    const isDisplacing = items.some(({ name }) => isDisplaced(name, items));
    if (!isDisplacing && isReadInOneStep(items)) return items;
    const folder = absolutePath(root, directory.path);
    const taken = absent.taken(folder, began);
    if (!isDisplacing && taken.length === 0) return items;
    const known = new Set(items.map(({ name }) => name));
    const hidden = taken
      .map((path) => path.slice(folder === "/" ? 1 : folder.length + 1))
      .filter((name) => !name.includes("/") && !known.has(name))
      .map((name): DirectoryItem => ({ name, kind: "file" }));
    const all = [...items, ...hidden];
    if (tries > EXCHANGE_TRIES || !all.some(({ name }) => isDisplaced(name, all) && isAlive(name))) return all;
    await delay(1);
  }
}

function isReadInOneStep(items: readonly DirectoryItem[]): boolean {
  let bytes = 0;
  // A character has three bytes at the most where it counts as one.
  for (const { name } of items) bytes += ENTRY_BYTES + 3 * name.length;
  return bytes <= ONE_STEP_BYTES;
}

/** Whether `name` is the displaced file of a save or a removal whose target has no name among `items`. */
function isDisplaced(name: string, items: readonly DirectoryItem[]): boolean {
  const tempFile = isTempFile(name) ? parseTempFile(name) : undefined;
  if (tempFile?.kind !== "old" && tempFile?.kind !== "rm") return false;
  return !items.some((item) => targetKey(item.name) === tempFile.target);
}

function isAlive(name: string): boolean {
  const tempFile = parseTempFile(name);
  return tempFile?.kind === "old" && ownerState(tempFile.owner) === "alive";
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

/** A regular file, at once, or what a name leads to that is a link, or absent at the moment. */
function describe(
  listing: Listing,
  directory: Directory,
  name: string,
  path: string,
): TextEntry | undefined | Promise<TextEntry | undefined> {
  try {
    const stat = listing.root.ops.lstatSync(directory.at(name));
    if (!stat.isSymbolicLink()) return toEntry(path, stat);
  } catch (error) {
    if (!isErrno(error, "ENOENT")) return undefined;
  }
  return describeTarget(listing, join(directory.path, name), path);
}

/** Contract: `undefined` when it is gone or leads out of the root; `unavailable` when a save hides it and does not end. */
async function describeTarget(
  { root, absent, options: { isOwn, signal } }: Listing,
  named: string,
  path: string,
): Promise<TextEntry | undefined> {
  const isServed = (resolved: string): boolean => isOwn?.(absolutePath(root, resolved)) !== true;
  const look = async (place: Place | undefined): Promise<Stats | undefined> =>
    place && isServed(place.resolved) ? place.stat : undefined;
  try {
    return toEntry(path, await absent.look(named, look, signal));
  } catch (error) {
    if (IkigaiError.is(error, "unavailable") || IkigaiError.is(error, "aborted")) throw error;
    // A name that cannot be followed has nothing to read.
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
