import { type Dirent, lstatSync, readdirSync, type Stats } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";

/** What else a file is called below a folder. */
export interface OtherNames {
  /** Paths relative to the folder, without the one that was asked for. */
  readonly names: readonly string[];
  /** Whether every name of the file is known. False: it has names elsewhere, or the folder is too large to look through. */
  readonly isComplete: boolean;
}

/** Entries that are looked at. A file with several names is rare, so the look may take its time. */
const MAX_ENTRIES = 100_000;
const ENTRIES_PER_TURN = 2_000;

/**
 * Finds the other hard links of a file in a folder, since a change reaches all of them.
 *
 * Contract: follows no links, never throws for a folder that cannot be read, and stops when all names are found.
 */
export async function findOtherNames(root: string, path: string, file: Stats): Promise<OtherNames> {
  const names: string[] = [];
  const folders = [""];
  let looked = 0;
  const missing = (): number => file.nlink - 1 - names.length;
  for (let folder = folders.shift(); folder !== undefined && missing() > 0; folder = folders.shift()) {
    for (const entry of entriesOf(root, folder)) {
      looked++;
      if (looked > MAX_ENTRIES) return { names, isComplete: false };
      if (looked % ENTRIES_PER_TURN === 0) await nextTurn();
      const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
      // What git keeps there is never changed by name, and is most of what a repository holds.
      if (entry.isDirectory()) {
        if (!name.endsWith(".git/objects")) folders.push(name);
      } else if (entry.isFile() && name !== path && isSame(`${root}/${name}`, file)) names.push(name);
    }
  }
  return { names, isComplete: missing() <= 0 };
}

function entriesOf(root: string, folder: string): readonly Dirent[] {
  try {
    return readdirSync(`${root}/${folder}`, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isSame(path: string, file: Stats): boolean {
  try {
    const found = lstatSync(path);
    return found.ino === file.ino && found.dev === file.dev;
  } catch {
    return false;
  }
}
