import { lstatSync, type Stats } from "node:fs";

/**
 * Stats of what lies at a path. Contract: `undefined` also for text that can be no path, such as a word of a command
 * that is a whole program.
 */
export function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
