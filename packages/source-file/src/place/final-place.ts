import { lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import { isErrno, unsupported } from "../file-errors.ts";

/** Where an absolute path ends once every link on the way is followed. */
export interface FinalPlace {
  /** Absolute and without links, each name as its folder stores it: a file system that folds case has one spelling. */
  readonly path: string;
  /** `path` with the names as the requested path and the links spell them. */
  readonly spelled: string;
  /** What lies there. Absent: nothing yet. */
  readonly stat: Stats | undefined;
}

/** What following a path asks of the system. Exchanged by tests for a file system that folds names. */
export interface FollowOps {
  /** Contract: `undefined` when there is nothing. */
  lstat(path: string): Stats | undefined;
  readlink(path: string): string;
  readdir(path: string): readonly string[];
}

/** Links that are followed at most, as many as Linux follows. */
export const MAX_LINKS = 40;
/** Links of a process, such as its root or an open file, lead elsewhere for every process that follows them. */
const PROCESS_LINK = /^\/proc\/\d+\//;

export const followOps: FollowOps = {
  lstat(path) {
    try {
      return lstatSync(path, { throwIfNoEntry: false });
    } catch (error) {
      if (isErrno(error, "ENOTDIR", "ENAMETOOLONG")) return undefined;
      throw error;
    }
  },
  readlink: (path) => readlinkSync(path),
  readdir: (path) => readdirSync(path),
};

/**
 * The one answer to where a path leads, for everything that judges paths.
 *
 * Contract: follows links also when their end is absent, in chains, relative and absolute, and resolves `..` behind a
 * link as the system does. Looks only; whoever opens the place afterwards compares what was opened with the answer.
 * More than 40 links, a link that belongs to a process, and a folder that may not be looked into throw, since then nobody
 * can say where the path leads.
 */
export function finalPlace(absolute: string, ops: FollowOps = followOps): FinalPlace {
  let pending = segmentsOf(absolute);
  let stored: string[] = [];
  let spelled: string[] = [];
  let stat: Stats | undefined;
  let links = 0;
  let isAbsent = false;
  while (pending.length > 0) {
    const [name = "", ...rest] = pending;
    pending = rest;
    if (name === "..") {
      stored.pop();
      spelled.pop();
      stat = undefined;
      isAbsent = false;
      continue;
    }
    const folder = `/${stored.join("/")}`;
    const path = join(folder, name);
    const found: Stats | undefined = isAbsent ? undefined : ops.lstat(path);
    if (found?.isSymbolicLink() === true) {
      links++;
      if (links > MAX_LINKS)
        throw unsupported(absolute, `passes more than ${MAX_LINKS} links`, "Remove the circle of links.");
      if (PROCESS_LINK.test(path)) {
        throw unsupported(absolute, "leads through a link of a process", "Name the file by its own path.");
      }
      const target = ops.readlink(path);
      if (target.startsWith("/")) [stored, spelled, stat] = [[], [], undefined];
      pending = [...segmentsOf(target), ...rest];
      continue;
    }
    isAbsent = found === undefined;
    stat = found;
    stored.push(found === undefined ? name : storedName(folder, name, found, ops));
    spelled.push(name);
  }
  // A folder that a `..` left was looked at before, and is not `stat` any more.
  stat ??= isAbsent ? undefined : ops.lstat(`/${stored.join("/")}`);
  return { path: `/${stored.join("/")}`, spelled: `/${spelled.join("/")}`, stat };
}

/** The name under which a folder that folds case or Unicode keeps what was found as `name`. */
function storedName(folder: string, name: string, found: Stats, ops: FollowOps): string {
  const isFolded = twinsOf(name).some((twin) => isSame(ops.lstat(join(folder, twin)), found));
  if (!isFolded) return name;
  const names = ops.readdir(folder);
  // A hard link may be a twin too: then both names are stored, and the one that was asked for is itself.
  if (names.includes(name)) return name;
  return names.find((one) => fold(one) === fold(name) && isSame(ops.lstat(join(folder, one)), found)) ?? name;
}

/** Other spellings of a name, of which a folder that folds takes at least one for the same. */
function twinsOf(name: string): readonly string[] {
  const twins = new Set([name.toUpperCase(), name.toLowerCase(), name.normalize("NFD"), name.normalize("NFC")]);
  twins.delete(name);
  return [...twins];
}

function isSame(a: Stats | undefined, b: Stats): boolean {
  return a !== undefined && a.ino === b.ino && a.dev === b.dev;
}

function fold(name: string): string {
  return name.normalize("NFKC").toUpperCase().toLowerCase();
}

function join(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "" && segment !== ".");
}
