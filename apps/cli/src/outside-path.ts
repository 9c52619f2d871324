import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, relative, resolve, sep } from "node:path";
import { IkigaiError } from "@ikigai/core";

/** The variable by which a hook or a server that we start learns which workspace it works for. */
export const WORKSPACE_VARIABLE = "IKIGAI_WORKSPACE";

/** Whether `path` is `folder` or lies in it. Both absolute. */
export function isInside(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

/** The folders of a `PATH` that a workspace cannot fill: no relative one, and none in `root`, not through a link either. */
export function pathOutside(path: string, root: string): string {
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !isInside(root, folder) && !isInside(root, realPathOf(folder)))
    .join(delimiter);
}

/**
 * The program that a bare name means: the first in `path` that lies outside `root`, also by its real place.
 *
 * Contract: `undefined` when there is none.
 */
export function findProgramOutside(name: string, path: string, root: string): string | undefined {
  return pathOutside(path, root)
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find((file) => isRunnable(file) && !isInside(root, realPathOf(file)));
}

export interface ProgramPlaces {
  /** Folder of the configuration that names the program. */
  readonly from: string;
  /** The workspace, as a real path. */
  readonly workspace: string;
  /** The `PATH` of the environment. */
  readonly path: string;
}

/**
 * The absolute path of a program that a configuration names.
 *
 * Contract: one with a slash starts where the configuration stands; a bare name is never one of the workspace's, and
 * `unavailable` says when there is no other.
 */
export function resolveProgram(program: string, { from, workspace, path }: ProgramPlaces): string {
  if (/[/\\]/.test(program)) return resolve(from, program);
  const found = findProgramOutside(program, path, workspace);
  if (found !== undefined) return found;
  throw new IkigaiError("unavailable", `There is no program ${program} on the PATH outside the workspace`, {
    hint: "Install it, or name it in the configuration by its path.",
  });
}

function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
