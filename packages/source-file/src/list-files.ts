import { type BlockEntry, compareCodePoints } from "@ikigai/core";
import { assertNotAborted } from "./abort.ts";
import type { Directory, Root } from "./directory.ts";
import { isErrno } from "./file-errors.ts";
import { type IgnoreRules, isAlwaysHidden } from "./ignore-rules.ts";
import { join, walk } from "./walk.ts";

export interface ListOptions {
  readonly signal?: AbortSignal | undefined;
  /** Stays in the folder that `prefix` names. Default false. */
  readonly shallow?: boolean;
  /** Yields folders too, with a slash at the end. Default false. */
  readonly folders?: boolean;
}

interface Level {
  readonly directory: Directory;
  /** As the caller names the folder, which may be through a link. */
  readonly path: string;
  /** Absent in a folder that is hidden itself. */
  readonly rules: IgnoreRules | undefined;
}

/** Every level keeps a folder open; below this nothing is listed. */
const MAX_DEPTH = 256;

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
): AsyncGenerator<BlockEntry> {
  const start = await enterFolder(root, prefix.slice(0, Math.max(0, prefix.lastIndexOf("/"))), rules);
  if (start !== undefined) yield* listFolder(root, start, prefix, options, 0);
}

async function* listFolder(
  root: Root,
  { directory, path, rules }: Level,
  prefix: string,
  options: ListOptions,
  depth: number,
): AsyncGenerator<BlockEntry> {
  try {
    for (const { name, kind, key } of await matchingItems(root, directory, path, prefix)) {
      assertNotAborted(options.signal);
      if (isAlwaysHidden(name)) continue;
      if (rules?.hides(join(directory.path, name), kind === "directory" ? "directory" : "file") === true) continue;
      if (kind !== "directory") {
        const entry = await describe(root, directory, name, key);
        if (entry !== undefined) yield entry;
        continue;
      }
      if (options.folders === true) yield { path: key };
      if (options.shallow === true || depth === MAX_DEPTH) continue;
      const child = await openOrGone(root, directory, name);
      if (child === undefined) continue;
      const inner = { directory: child, path: join(path, name), rules: await rules?.enter(child) };
      yield* listFolder(root, inner, prefix, options, depth + 1);
    }
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
  const items = await root.ops.readdir(directory.at("."));
  return (
    items
      // No address can name a backslash.
      .filter(({ name }) => !name.includes("\\"))
      .map(({ name, kind }) => ({ name, kind, key: `${join(path, name)}${kind === "directory" ? "/" : ""}` }))
      .filter(({ key }) => key.startsWith(prefix))
      .toSorted((a, b) => compareCodePoints(a.key, b.key))
  );
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

/** A regular file, or a link that leads to one inside the root. */
async function describe(root: Root, directory: Directory, name: string, path: string): Promise<BlockEntry | undefined> {
  try {
    const own = await root.ops.lstat(directory.at(name));
    const stat = own.isSymbolicLink()
      ? await walk(root, join(directory.path, name), (place) => Promise.resolve(place?.stat))
      : own;
    if (stat?.isFile() !== true) return undefined;
    return { path, bytes: stat.size, modifiedAt: stat.mtime };
  } catch {
    // Gone meanwhile, or a link that cannot be followed: either way there is nothing to read.
    return undefined;
  }
}

async function openOrGone(root: Root, parent: Directory, name: string): Promise<Directory | undefined> {
  try {
    return await root.openChild(parent, name);
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR", "ELOOP", "EACCES")) return undefined;
    throw error;
  }
}
