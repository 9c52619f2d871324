import type { Stats } from "node:fs";
import type { Directory, Root } from "./directory.ts";
import { escapes, isErrno, unsupported } from "../file-errors.ts";
import { MAX_LINKS } from "./final-place.ts";

/** Where a path leads: a folder that is held open, and a name in it that is no link. */
export interface Place {
  readonly directory: Directory;
  readonly name: string;
  /** The path with all links resolved, relative to the root. */
  readonly resolved: string;
  /** What lies there, or `undefined` for nothing. */
  readonly stat: Stats | undefined;
}

export interface WalkOptions {
  /** Makes missing folders on the way. Default false. */
  readonly create?: boolean;
  /** May refuse a folder, given as a path without links, before it is made. */
  readonly mayMake?: (folder: string) => void;
  /** Whether a link at the very end is followed. Default true; false gives the link itself. */
  readonly followLast?: boolean;
}

/**
 * Follows `path` from the root, folder by folder, and hands the place to `use`.
 *
 * Each folder is opened inside the one before it and never through a link; links are read and resolved here, so no
 * exchange of a folder for a link can lead outside. Contract: `use` gets `undefined` when a folder on the way is
 * missing; leaving the root is `permission_denied`; the folder is closed when `use` is done.
 */
export async function walk<Result>(
  root: Root,
  path: string,
  use: (place: Place | undefined) => Promise<Result>,
  { create = false, mayMake, followLast = true }: WalkOptions = {},
): Promise<Result> {
  let pending = segmentsOf(path);
  let links = 0;
  let directory = root.directory;

  const enter = async (next: Directory): Promise<void> => {
    const left = directory;
    directory = next;
    if (left !== root.directory) await left.close();
  };
  const restart = async (segments: string[]): Promise<void> => {
    pending = segments;
    await enter(root.directory);
  };
  /** Goes on where the link at `name` points to. */
  const follow = async (name: string, rest: readonly string[]): Promise<void> => {
    links++;
    if (links > MAX_LINKS)
      throw unsupported(path, `passes more than ${MAX_LINKS} links`, "Remove the circle of links.");
    const target = await readlinkOrChanged(root, directory.at(name));
    if (target === undefined) return restart([...segmentsOf(directory.path), name, ...rest]);
    const inside = target.startsWith("/")
      ? insideRoot(root, target)
      : [...segmentsOf(directory.path), ...segmentsOf(target)];
    if (inside === undefined) throw escapes(path);
    await restart([...inside, ...rest]);
  };

  try {
    for (;;) {
      const [name, ...rest] = pending;
      if (name === undefined) throw isDirectory(path);
      if (name === "..") {
        const above = segmentsOf(directory.path);
        if (above.pop() === undefined) throw escapes(path);
        await restart([...above, ...rest]);
      } else if (rest.length > 0) {
        const child = await openFolder(root, directory, name, create, mayMake);
        if (child === "missing") return await use(undefined);
        if (child === "link") await follow(name, rest);
        else {
          pending = rest;
          await enter(child);
        }
      } else {
        const stat = await lstatOrAbsent(root, directory.at(name));
        if (followLast && stat?.isSymbolicLink() === true) await follow(name, []);
        else {
          await directory.verify();
          return await use({ directory, name, resolved: join(directory.path, name), stat });
        }
      }
    }
  } finally {
    await enter(root.directory);
  }
}

/** A path of the source as an absolute path of the machine. */
export function absolutePath({ realPath }: Pick<Root, "realPath">, path: string): string {
  return path === "" ? realPath : `${realPath === "/" ? "" : realPath}/${path}`;
}

export function join(directory: string, name: string): string {
  return directory === "" ? name : `${directory}/${name}`;
}

async function openFolder(
  root: Root,
  parent: Directory,
  name: string,
  create: boolean,
  mayMake?: (folder: string) => void,
): Promise<Directory | "missing" | "link"> {
  try {
    return await root.openChild(parent, name);
  } catch (error) {
    if (isErrno(error, "ENOENT") && create) {
      mayMake?.(join(parent.path, name));
      return makeFolder(root, parent, name);
    }
    if (isErrno(error, "ENOENT", "ENAMETOOLONG")) return "missing";
    if (!isErrno(error, "ENOTDIR", "ELOOP")) throw error;
    const stat = await lstatOrAbsent(root, parent.at(name));
    // A folder by now: it was a link a moment ago, and following it finds out.
    if (stat?.isSymbolicLink() === true || stat?.isDirectory() === true) return "link";
    if (!create) return "missing";
    throw unsupported(join(parent.path, name), "is no folder, so nothing can lie below it", "Choose another path.");
  }
}

async function makeFolder(root: Root, parent: Directory, name: string): Promise<Directory | "missing" | "link"> {
  await parent.verify();
  try {
    await root.ops.mkdir(parent.at(name));
    await root.ops.sync(parent.handle);
  } catch (error) {
    if (!isErrno(error, "EEXIST")) throw error;
  }
  return openFolder(root, parent, name, false);
}

/** Contract: `undefined` when it is no link any more, so that the walk looks again. */
async function readlinkOrChanged(root: Root, path: string): Promise<string | undefined> {
  try {
    return await root.ops.readlink(path);
  } catch (error) {
    if (isErrno(error, "EINVAL", "ENOENT")) return undefined;
    throw error;
  }
}

async function lstatOrAbsent(root: Root, path: string): Promise<Stats | undefined> {
  try {
    return await root.ops.lstat(path);
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR", "ENAMETOOLONG")) return undefined;
    throw error;
  }
}

function insideRoot({ spellings }: Root, target: string): string[] | undefined {
  const spelling = spellings.find((root) => target === root || target.startsWith(root === "/" ? root : `${root}/`));
  return spelling === undefined ? undefined : segmentsOf(target.slice(spelling.length));
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "" && segment !== ".");
}

function isDirectory(path: string): Error {
  return unsupported(path, "is a folder, not a file", "Name a file inside it, or list the folder.");
}
