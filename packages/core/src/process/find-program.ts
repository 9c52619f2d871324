import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, relative, resolve, sep } from "node:path";
import { IkigaiError, messageOf } from "../errors.ts";

export interface FindProgramOptions {
  /** Folders to look in, written as in `PATH`. Default: `PATH` of this process. */
  readonly path?: string;
  /** Folders whose programs do not count, such as the workspace. The current folder never counts, unless home lies in it. */
  readonly outside?: readonly string[];
}

/** Where the programs of the system itself lie, on every system that is supported. */
const SYSTEM_PATH = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/run/current-system/sw/bin"].join(":");

/**
 * Where a program lies: by an absolute path, in the first folder of `path` that has it.
 *
 * Contract: `undefined` when there is none. Never one inside `outside`, neither by its folder nor through a link; and
 * neither relative folders of `path` nor those of installed packages (`node_modules`) count, so that what somebody else
 * put into a folder never stands in for what the user installed.
 */
export function findProgram(name: string, options: FindProgramOptions = {}): string | undefined {
  return findIn(name, options.path ?? process.env["PATH"] ?? "", excluded(options));
}

/**
 * Finds a program as {@link findProgram} does. Contract: throws `unavailable` when there is none, naming the
 * program.
 */
export function requireProgram(name: string, options: FindProgramOptions = {}): string {
  const found = findProgram(name, options);
  if (found !== undefined) return found;
  throw new IkigaiError("unavailable", `The program ${name} was not found outside the workspace`, {
    hint: `Install ${name} and make sure that an absolute folder of PATH has it.`,
  });
}

/**
 * The file of a program that somebody named: a path, from `cwd` when it is relative, or a name that is looked for.
 *
 * Contract: throws `unavailable` when there is none or it cannot be run, naming it.
 */
export function programFile(name: string, options: FindProgramOptions & { readonly cwd?: string } = {}): string {
  if (!name.includes("/")) return requireProgram(name, options);
  const file = resolve(options.cwd ?? ".", name);
  try {
    accessSync(file, constants.X_OK);
    return file;
  } catch (cause) {
    throw new IkigaiError("unavailable", `${name} cannot be started: ${messageOf(cause)}`, { cause });
  }
}

/** A small program of the system, such as `mkfifo` or `ps`: from the system's own folders before any of `PATH`. */
export function systemProgram(name: string): string {
  return findIn(name, SYSTEM_PATH, []) ?? requireProgram(name);
}

/** The folders of `path` in which {@link findProgram} looks, joined as in `PATH`. */
export function trustedPath(options: FindProgramOptions = {}): string {
  return trustedFolders(options.path ?? process.env["PATH"] ?? "", excluded(options)).join(delimiter);
}

function findIn(name: string, path: string, outside: readonly string[]): string | undefined {
  for (const folder of trustedFolders(path, outside)) {
    const real = runnable(join(folder, name));
    if (real === undefined || outside.some((one) => isInside(one, real))) continue;
    // The name inside the folder, not the link's end: programs such as busybox look at the name they were called
    // by.
    return join(folder, name);
  }
  return undefined;
}

function excluded({ outside = [] }: FindProgramOptions): readonly string[] {
  return [...currentFolder(), ...outside.map(realOrSame)];
}

function trustedFolders(path: string, outside: readonly string[]): readonly string[] {
  return path.split(delimiter).filter((folder) => {
    if (!isAbsolute(folder) || folder.split(sep).includes("node_modules")) return false;
    const real = realOrSame(folder);
    return !outside.some((one) => isInside(one, folder) || isInside(one, real));
  });
}

/** The folder this process works in is taken for a workspace. Home and what lies above it are not one. */
function currentFolder(): readonly string[] {
  const here = realOrSame(process.cwd());
  const home = process.env["HOME"];
  return here === sep || (home !== undefined && isInside(here, realOrSame(home))) ? [] : [here];
}

function runnable(file: string): string | undefined {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile() ? realpathSync(file) : undefined;
  } catch {
    return undefined;
  }
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function isInside(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}
