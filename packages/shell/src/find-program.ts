import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";

/**
 * Where a program of the system lies: its real path, in the first folder of `path` that has it.
 *
 * Contract: never inside `outside`, neither by its folder nor through a link; relative folders of `path` do not count.
 * `undefined` when there is none.
 */
export function findProgram(name: string, path: string, outside?: string): string | undefined {
  for (const folder of path.split(":")) {
    if (!isAbsolute(folder)) continue;
    const real = runnable(join(folder, name));
    if (real === undefined || (outside !== undefined && (isInside(outside, folder) || isInside(outside, real))))
      continue;
    // By its name there: programs such as busybox look at what they were called.
    return join(folder, name);
  }
  return undefined;
}

function runnable(file: string): string | undefined {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile() ? realpathSync(file) : undefined;
  } catch {
    return undefined;
  }
}

function isInside(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}
